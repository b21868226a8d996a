export function TemplatesScreen() {
  return <h1>Templates</h1>
}
