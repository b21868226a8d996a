/** The page of one server. */
export function ServerScreen() {
  return <h1>Server</h1>
}
