export function AddServerScreen() {
  return <h1>AddServer</h1>
}
