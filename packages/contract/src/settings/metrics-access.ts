/** A request for metrics. */
export interface MetricsRequest {
  /** Address of the client; undefined on a unix socket. */
  readonly address: string | undefined
  /** The `Authorization` header. */
  readonly authorization: string | undefined
}

/**
 * Decides who may read the metrics of a panel or node. `unauthorized`: a valid token is missing; `hidden`: there are no
 * metrics for this client.
 */
export type MetricsAccess = (request: MetricsRequest) => 'allowed' | 'unauthorized' | 'hidden'
