export function NodesScreen() {
  return <h1>Nodes</h1>
}
