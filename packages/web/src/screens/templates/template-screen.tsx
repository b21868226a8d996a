export function TemplateScreen() {
  return <h1>Template</h1>
}
