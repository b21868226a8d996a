/** The formats of metrics: that of OpenMetrics for clients that ask for it, the older one of Prometheus for others. */

const prometheusType = 'text/plain; version=0.0.4; charset=utf-8'

interface Metrics {
  readonly contentType: string
  readonly body: string
}

/** Metrics in the OpenMetrics format, in the one for a client that sent this `Accept` header. */
export function metricsFor(accept: string | undefined, openMetrics: Metrics): Metrics {
  if (accept?.toLowerCase().includes('application/openmetrics-text')) return openMetrics
  return { contentType: prometheusType, body: prometheusText(openMetrics.body) }
}

/** There, the name of a counter ends with `_total` in its description, too, and there is no last line. */
function prometheusText(openMetrics: string): string {
  const lines = openMetrics.split('\n').filter((line) => line !== '# EOF')
  const counters = new Set(
    lines.flatMap((line) => {
      const [hash, word, name = '', type] = line.split(' ')
      return hash === '#' && word === 'TYPE' && type === 'counter' ? [name] : []
    }),
  )
  return lines
    .map((line) => {
      if (!line.startsWith('# ')) return line
      const [hash, word, name = '', ...rest] = line.split(' ')
      return counters.has(name) ? [hash, word, `${name}_total`, ...rest].join(' ') : line
    })
    .join('\n')
}

/** A request for metrics. */
interface MetricsRequest {
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
