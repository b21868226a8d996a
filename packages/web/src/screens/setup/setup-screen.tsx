export function SetupScreen() {
  return <h1>Setup</h1>
}
