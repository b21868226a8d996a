export function NotFoundScreen() {
  return <h1>NotFound</h1>
}
