import { spawn } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { text } from 'node:stream/consumers'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { parseDnsServer, type SettingValues } from '@innkeeper/contract/settings/settings'
import { bracketed } from '@innkeeper/contract/text/address'
import { type DnsProvider, dnsTimeoutMs, type RecordSet, recordTtl } from './provider.ts'
import { resolveAddresses } from './resolve-addresses.ts'

/** The program of BIND, in Debian in the package bind9-dnsutils. */
const program = 'nsupdate'

/** Dynamic updates (RFC 2136) by `nsupdate`, signed with a TSIG key, which the program gets on its standard input. */
export function rfc2136(settings: SettingValues): DnsProvider {
  const server = parseDnsServer(settings['panel.dns.server'])
  const key = parseKey(settings['panel.dns.key'])
  if (!server) throw new Refusal('ErrFieldInvalid', { field: 'panel.dns.server' })
  const { host, port } = server
  const begin = [
    `server ${host} ${port}`,
    `zone ${settings['panel.dns.zone']}.`,
    `key ${key.algorithm}:${settings['panel.dns.keyName']} ${key.secret}`,
  ]

  async function resolver(signal: AbortSignal): Promise<Resolver> {
    const [address] = isIP(host) ? [host] : await resolveAddresses(host)
    if (address === undefined) throw failed(`${host} has no address`)
    const asking = new Resolver({ timeout: dnsTimeoutMs / 2, tries: 2 })
    asking.setServers([`${bracketed(address)}:${port}`])
    signal.addEventListener('abort', () => asking.cancel(), { once: true })
    return asking
  }

  return {
    async replace(sets, signal) {
      const updates = sets.flatMap(({ name, type, values }) => [
        `update delete ${name}. ${type}`,
        ...values.map((value) => `update add ${name}. ${recordTtl} ${type} ${value}${type === 'SRV' ? '.' : ''}`),
      ])
      await run([...begin, ...updates, 'send', ''].join('\n'), signal)
    },

    async read(sets, signal) {
      const asking = await resolver(signal)
      const read: RecordSet[] = []
      for (const { name, type } of sets) {
        const values =
          type === 'A'
            ? await ifAny(asking.resolve4(name))
            : type === 'AAAA'
              ? await ifAny(asking.resolve6(name))
              : (await ifAny(asking.resolveSrv(name))).map(
                  ({ priority, weight, port: at, name: target }) => `${priority} ${weight} ${at} ${target}`,
                )
        read.push({ name, type, values })
      }
      return read
    },

    async has(name, signal) {
      const asking = await resolver(signal)
      for (const type of ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT'] as const) {
        if ((await ifAny(asking.resolve(name, type) as Promise<unknown[]>)).length > 0) return true
      }
      return false
    },
  }
}

/** `hmac-sha512:c2VjcmV0`; without an algorithm, hmac-sha256. */
function parseKey(key: string): { readonly algorithm: string; readonly secret: string } {
  const { algorithm = 'hmac-sha256', secret } =
    /^(?:(?<algorithm>hmac-[a-z0-9-]+):)?(?<secret>[A-Za-z0-9+/]+={0,2})$/.exec(key)?.groups ?? {}
  if (secret === undefined) throw new Refusal('ErrFieldInvalid', { field: 'panel.dns.key' })
  return { algorithm, secret }
}

const failed = (reason: string, cause?: unknown) => new Refusal('ErrDnsFailed', { reason }, { cause })

/** No records are an empty list. */
async function ifAny<T>(answer: Promise<T[]>): Promise<T[]> {
  try {
    return await answer
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ENODATA' || code === 'ENOTFOUND') return []
    throw failed(code || String(error), error)
  }
}

async function run(commands: string, signal: AbortSignal): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(dnsTimeoutMs)])
  // Over TCP: an answer cannot be forged, and all records fit.
  const child = spawn(program, ['-v', '-t', String(dnsTimeoutMs / 1_000)], {
    stdio: ['pipe', 'ignore', 'pipe'],
    signal: limit,
  })
  // A program that ended does not read the rest; its exit code says why.
  child.stdin.on('error', () => {})
  child.stdin.end(commands)
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  try {
    const [code, errors] = await Promise.all([ended, text(child.stderr)])
    if (code !== 0) throw failed(errors.trim().split('\n').at(-1) || `${program} ended with exit code ${code}`)
  } catch (error) {
    if (error instanceof Refusal) throw error
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new Refusal('ErrMissingBinary', { expected: program }, { cause: error })
    throw failed(limit.aborted ? 'it did not respond in time' : String(error), error)
  }
}
