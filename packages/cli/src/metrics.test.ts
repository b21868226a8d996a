import { expect, test } from 'vitest'
import { metricsAccess, openMetrics } from './metrics.ts'

const token = 'a-token-for-metrics'
const bearer = `Bearer ${token}`

test('without a token and an address there are no metrics', () => {
  expect(openMetrics({ metricsToken: undefined, metricsAllow: [] })).toBeUndefined()
})

test('the metrics of the process are in the OpenMetrics format', async () => {
  const metrics = openMetrics({ metricsToken: token, metricsAllow: [] })

  expect(metrics?.registry.contentType).toMatch(/^application\/openmetrics-text; version=1\.0\.0/)
  const text = await metrics?.registry.metrics()
  expect(text).toMatch(/^process_cpu_seconds_total \d/m)
  expect(text).toMatch(/^# EOF\n$/m)
  expect(text).not.toMatch(/^# TYPE \S+_total gauge$/m)
})

test.for<[string, readonly string[], string | undefined, string | undefined, string | undefined, string]>([
  ['the token', [], token, '198.51.100.7', bearer, 'allowed'],
  ['the scheme in lower case', [], token, '198.51.100.7', `bearer ${token}`, 'allowed'],
  ['another token', [], token, '198.51.100.7', 'Bearer another-token-for-metrics', 'unauthorized'],
  ['a longer token', [], token, '198.51.100.7', `${bearer}x`, 'unauthorized'],
  ['the token as a password', [], token, '198.51.100.7', `Basic ${token}`, 'unauthorized'],
  ['no token', [], token, '198.51.100.7', undefined, 'unauthorized'],
  ['a listed address', ['198.51.100.7'], undefined, '198.51.100.7', undefined, 'allowed'],
  ['an address in a listed network', ['2001:db8::/32', '10.0.0.0/8'], undefined, '10.1.2.3', undefined, 'allowed'],
  ['a listed IPv6 network', ['10.0.0.0/8', '2001:db8::/32'], undefined, '2001:db8::9', undefined, 'allowed'],
  ['an IPv4 address on an IPv6 socket', ['10.0.0.0/8'], undefined, '::ffff:10.1.2.3', undefined, 'allowed'],
  ['another address', ['10.0.0.0/8'], undefined, '11.0.0.1', undefined, 'hidden'],
  ['a text in place of an address', ['10.0.0.0/8'], undefined, 'unknown', undefined, 'hidden'],
  ['no address', ['10.0.0.0/8'], undefined, undefined, undefined, 'hidden'],
  ['a listed address and the token', ['10.0.0.0/8'], token, '10.1.2.3', bearer, 'allowed'],
  ['a listed address without the token', ['10.0.0.0/8'], token, '10.1.2.3', undefined, 'unauthorized'],
  ['another address with the token', ['10.0.0.0/8'], token, '11.0.0.1', bearer, 'hidden'],
])('access with %s', ([, metricsAllow, metricsToken, address, authorization, expected]) => {
  const access = metricsAccess({ metricsToken, metricsAllow: [...metricsAllow] })

  expect(access({ address, authorization })).toBe(expected)
})
