export function ServersScreen() {
  return <h1>Servers</h1>
}
