import { expect, test } from 'vitest'
import { parseDnsServer } from '../settings/settings.ts'
import { DnsLabel, proposeLabel } from './dns-names.ts'

test.each([
  ['My Löbby', 'my-lobby'],
  ['  --Survival #2 (EU)  ', 'survival-2-eu'],
  ['ゲーム', ''],
  [`${'a'.repeat(62)} b`, 'a'.repeat(62)],
])('the proposal for %j is %j, which is a label or empty', (name, label) => {
  expect(proposeLabel(name)).toBe(label)
  expect(label === '' || DnsLabel.safeParse(label).success).toBe(true)
})

test('labels are host names in lower case', () => {
  expect(DnsLabel.parse(' Lobby ')).toBe('lobby')
  for (const wrong of ['', '-a', 'a-', 'a.b', 'a_b', '*', 'a\nb', 'a'.repeat(64)])
    expect(DnsLabel.safeParse(wrong).success).toBe(false)
})

test.each([
  ['192.0.2.53', { host: '192.0.2.53', port: 53 }],
  ['ns.example.org:5353', { host: 'ns.example.org', port: 5353 }],
  ['[2001:db8::53]:5353', { host: '2001:db8::53', port: 5353 }],
  ['2001:db8::53', { host: '2001:db8::53', port: 53 }],
  ['ns.example.org:0', undefined],
  ['ns.example.org\nkey', undefined],
  ['http://ns', undefined],
])('the name server %j is %j', (text, expected) => {
  expect(parseDnsServer(text)).toEqual(expected)
})
