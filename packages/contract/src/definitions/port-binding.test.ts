import { expect, test } from 'vitest'
import { getPortBinding, isPortText, parsePortBinding, partsOfPortBinding } from './port-binding.ts'

test.each([
  ['0.0.0.0:25565:25566/udp', { host: '0.0.0.0', outside: 25565, inside: 25566, protocol: 'udp' }],
  ['{ip}:80:8080/tcp', { host: '0.0.0.0', outside: 80, inside: 8080, protocol: 'tcp' }],
  ['80:8080', { host: '0.0.0.0', outside: 80, inside: 8080, protocol: 'tcp' }],
  [':80:8080/UDP', { host: '0.0.0.0', outside: 80, inside: 8080, protocol: 'udp' }],
  ['[::1]:80:80', { host: '[::1]', outside: 80, inside: 80, protocol: 'tcp' }],
])('%s is a port binding', (text, expected) => {
  expect(parsePortBinding(text)).toEqual(expected)
})

test.each([
  '',
  '80',
  '80:',
  ':80',
  'a:b',
  '0:80',
  '80:65536',
  '80:80/sctp',
  '1.1.1.1:2.2.2.2:80:80',
  '-1:80',
  '80:80 80',
])('“%s” is not a port binding', (text) => {
  expect(parsePortBinding(text)).toBeUndefined()
})

test('the fields of a binding may be variables, and format to the original text', () => {
  const parts = partsOfPortBinding('${ip}:${port}:25565/udp')

  expect(parts).toEqual({ host: '${ip}', outside: '${port}', inside: '25565', protocol: 'udp' })
  expect(parts && getPortBinding(parts)).toBe('${ip}:${port}:25565/udp')
  expect(getPortBinding({ host: ' 2001:db8::7 ', outside: '1', inside: '2', protocol: 'udp' })).toBe(
    '[2001:db8::7]:1:2/udp',
  )
  expect(['{ip}:1:2/tcp', '1:2'].map((text) => partsOfPortBinding(text)?.host)).toEqual(['0.0.0.0', '0.0.0.0'])
  expect(partsOfPortBinding('8000-8010:8000-8010')).toBeUndefined()
  expect(['1', '65535', '${port}', '0', '65536', 'x', '', '${a}${b}'].map(isPortText)).toEqual([
    true,
    true,
    true,
    ...Array.from({ length: 5 }, () => false),
  ])
})
