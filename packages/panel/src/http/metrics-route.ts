import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type MetricsAccess, metricsFor } from '@innkeeper/contract/settings/metrics-format'
import type { FastifyInstance } from 'fastify'
import type { PanelMetrics } from '../metrics/panel-metrics.ts'

interface Deps {
  readonly metrics: PanelMetrics
  readonly access: MetricsAccess
}

/** Serves the metrics of this process, and measures the duration of each request. */
export function registerMetrics(app: FastifyInstance, { metrics, access }: Deps): void {
  app.addHook('onResponse', ({ method, routeOptions, proxiedPattern }, { statusCode: status, elapsedTime }, done) => {
    // Unknown paths have no pattern.
    const route = proxiedPattern ?? routeOptions.url ?? 'none'
    metrics.observe({ method, route, status, seconds: elapsedTime / 1000 })
    done()
  })
  app.get('/metrics', { config: { access: 'public' } }, async ({ ip, headers }, reply) => {
    const verdict = access({ address: ip, authorization: headers.authorization })
    if (verdict === 'hidden') throw new Refusal('ErrNotFound')
    if (verdict === 'unauthorized') throw new Refusal('ErrTokenInvalid', {}, { status: 401 })
    const openMetrics = { contentType: metrics.registry.contentType, body: await metrics.registry.metrics() }
    const { contentType, body } = metricsFor(headers.accept, openMetrics)
    reply.header('cache-control', 'no-store').header('vary', 'accept').type(contentType)
    return body
  })
}
