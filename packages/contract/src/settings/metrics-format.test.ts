import { expect, test } from 'vitest'
import { metricsFor } from './metrics-format.ts'

const openMetrics = {
  contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  body: '# HELP jobs Jobs done\n# TYPE jobs counter\njobs_total{kind="a"} 3\n# HELP lamps Lamps\n# TYPE lamps gauge\nlamps 2\n# EOF\n',
}

test('a client that asks for OpenMetrics gets it', () => {
  const accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1'

  expect(metricsFor(accept, openMetrics)).toBe(openMetrics)
})

test.each([undefined, '*/*', 'text/plain;version=0.0.4'])(
  'a client that accepts %s gets the format of Prometheus',
  (accept) => {
    const { contentType, body } = metricsFor(accept, openMetrics)

    expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(body).toBe(
      '# HELP jobs_total Jobs done\n# TYPE jobs_total counter\njobs_total{kind="a"} 3\n# HELP lamps Lamps\n# TYPE lamps gauge\nlamps 2\n',
    )
  },
)
