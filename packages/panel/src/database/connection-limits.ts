/** Connections of one panel to a database server. */
export const maxConnections = 10
export const connectTimeoutMs = 3_000
export const statementTimeoutMs = 10_000
export const idleTimeoutMs = 60_000
