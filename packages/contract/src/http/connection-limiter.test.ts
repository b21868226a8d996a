import { describe, expect, test, vi } from 'vitest'
import { ConnectionLimiter, connectionLimits, limitWarning } from './connection-limiter.ts'

const limits = { total: 4, perAddress: 2, perOwner: 2 }

/** Opens connections named after their addresses: `10.0.0.1/a`. */
function opened(limiter: ConnectionLimiter<string>, ...names: readonly string[]): (string | undefined)[] {
  return names.map((name) => limiter.open(name, name.split('/')[0]))
}

describe('per address', () => {
  test.each([
    ['of IPv4', ['10.0.0.1/a', '10.0.0.1/b', '10.0.0.1/c']],
    ['of IPv4 in IPv6', ['::ffff:10.0.0.1/a', '10.0.0.1/b', '10.0.0.1/c']],
    ['of one IPv6 network', ['2001:db8:1:2::1/a', '2001:db8:1:2::2/b', '2001:db8:1:2:ffff::3/c']],
  ])('a further connection %s replaces the oldest', (_, names) => {
    const limiter = new ConnectionLimiter<string>(limits)

    expect(opened(limiter, ...names)).toEqual([undefined, undefined, names[0]])
    expect(limiter.size).toBe(2)
  })

  test.each([
    ['other addresses', ['10.0.0.1/a', '10.0.0.2/b', '10.0.0.3/c']],
    ['other networks', ['2001:db8:1:2::1/a', '2001:db8:1:3::1/b', '2001:db8:1:4::1/c']],
  ])('%s are counted apart', (_, names) => {
    const limiter = new ConnectionLimiter<string>(limits)

    expect(opened(limiter, ...names)).toEqual([undefined, undefined, undefined])
  })

  test('connections that are authenticated, closed or of a proxy do not count', () => {
    const limiter = new ConnectionLimiter<string>({ ...limits, total: 10 })
    opened(limiter, '10.0.0.1/a', '10.0.0.1/b')

    limiter.authenticate('10.0.0.1/a', 'user 1')
    expect(opened(limiter, '10.0.0.1/c')).toEqual([undefined])
    limiter.close('10.0.0.1/b')
    expect(opened(limiter, '10.0.0.1/d')).toEqual([undefined])
    expect(limiter.open('10.0.0.1/e', '10.0.0.1', true)).toBeUndefined()
  })

  test('a connection that is not that of a proxy after all counts from then on', () => {
    const limiter = new ConnectionLimiter<string>({ ...limits, total: 10 })
    for (const name of ['a', 'b', 'c']) limiter.open(name, '10.0.0.1', true)

    expect(['a', 'b', 'c'].map((name) => limiter.distrust(name, '10.0.0.1'))).toEqual([undefined, undefined, 'a'])
    expect(limiter.distrust('gone', '10.0.0.1')).toBeUndefined()
    expect(limiter.size).toBe(2)
  })

  test('a unix socket has no address', () => {
    const limiter = new ConnectionLimiter<number>(limits)

    expect([1, 2, 3, 4].map((connection) => limiter.open(connection, undefined))).toEqual(Array(4).fill(undefined))
    expect(limiter.open(5, undefined)).toBe(1)
  })
})

describe('in all', () => {
  test('a further connection replaces the oldest that is not authenticated, also of a proxy', () => {
    const limiter = new ConnectionLimiter<string>(limits)
    opened(limiter, '10.0.0.1/a')
    limiter.open('10.0.0.2/b', '10.0.0.2', true)
    opened(limiter, '10.0.0.3/c', '10.0.0.4/d')
    limiter.authenticate('10.0.0.1/a', 'user 1')

    expect(opened(limiter, '10.0.0.5/e', '10.0.0.6/f')).toEqual(['10.0.0.2/b', '10.0.0.3/c'])
    expect(limiter.size).toBe(4)
  })

  test('a connection is closed when it can replace none', () => {
    const limiter = new ConnectionLimiter<string>(limits)
    const names = ['10.0.0.1/a', '10.0.0.2/b', '10.0.0.3/c', '10.0.0.4/d']
    opened(limiter, ...names)
    for (const name of names) limiter.authenticate(name)

    expect(opened(limiter, '10.0.0.5/e')).toEqual(['10.0.0.5/e'])
    limiter.close('10.0.0.1/a')
    expect(opened(limiter, '10.0.0.5/e')).toEqual([undefined])
  })
})

describe('per owner', () => {
  test('the limit counts authenticated connections, and those that end make room', () => {
    const limiter = new ConnectionLimiter<string>({ ...limits, total: 10 })
    opened(limiter, '10.0.0.1/a', '10.0.0.2/b', '10.0.0.3/c')

    const answers = ['10.0.0.1/a', '10.0.0.2/b', '10.0.0.3/c'].map((name) => limiter.authenticate(name, 'user 1'))
    expect(answers).toEqual([true, true, false])
    // Once more on the same connection counts once.
    expect(limiter.authenticate('10.0.0.1/a', 'user 1')).toBe(true)
    expect(limiter.authenticate('10.0.0.3/c', 'user 2')).toBe(true)
    limiter.close('10.0.0.1/a')
    expect(limiter.authenticate('10.0.0.3/c', 'user 1')).toBe(true)
  })

  test('a connection counts for its latest owner', () => {
    const limiter = new ConnectionLimiter<string>({ ...limits, perOwner: 1 })
    opened(limiter, '10.0.0.1/a', '10.0.0.2/b')

    limiter.authenticate('10.0.0.1/a', 'user 1')
    limiter.authenticate('10.0.0.1/a', 'user 2')
    expect(limiter.authenticate('10.0.0.2/b', 'user 1')).toBe(true)
  })

  test('a proxy has any number of owners', () => {
    const limiter = new ConnectionLimiter<string>({ ...limits, perOwner: 1 })
    for (const name of ['a', 'b']) limiter.open(name, '10.0.0.1', true)

    expect(['a', 'b'].map((name) => limiter.authenticate(name, 'user 1'))).toEqual([true, true])
    limiter.distrust('a', '10.0.0.1')
    limiter.distrust('b', '10.0.0.1')
    expect(['a', 'b'].map((name) => limiter.authenticate(name, 'user 1'))).toEqual([true, false])
  })

  test('an unknown connection is not limited', () => {
    expect(new ConnectionLimiter<string>(limits).authenticate('gone', 'user 1')).toBe(true)
  })
})

test('closed connections are reported once a minute', () => {
  vi.useFakeTimers()
  const messages: string[] = []
  const warn = limitWarning((message) => messages.push(message))

  for (const address of ['10.0.0.1', '10.0.0.2']) warn(address)
  vi.advanceTimersByTime(60_000)
  warn(undefined)

  expect(messages).toEqual([expect.stringContaining('from 10.0.0.1'), expect.stringContaining('from the unix socket')])
  vi.useRealTimers()
})

test.each([256, 1_024, 20_000, 65_536, 1_048_576, undefined])(
  'with %s open files a fifth of the descriptors remains',
  (openFiles) => {
    const { panel, node, sftp, sftpHandles } = connectionLimits(openFiles)
    const files = openFiles ?? 65_536

    // A client of the panel may use a connection to the local node, which has two ends in this process.
    const forSftp = sftp.total + 2 * sftpHandles.total
    expect(3 * panel.total + forSftp).toBeLessThan(files * 0.8)
    expect(node.total + forSftp).toBeLessThan(files * 0.8)
    for (const { total, perAddress } of [panel, node, sftp]) expect(4 * perAddress).toBeLessThanOrEqual(total)
  },
)
