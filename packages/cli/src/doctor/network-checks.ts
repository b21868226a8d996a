import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect, createServer, isIP } from 'node:net'
import { errorMessage } from '@innkeeper/contract/errors/error-message'
import { isOnAllAddresses } from '@innkeeper/panel/http/listener-url'
import type { Config } from '../installation/config.ts'
import { type Check, type CheckResult, getResults } from './checks.ts'

const dayMs = 86_400_000
/** Certificate authorities renew a month before the end. */
const certificateDays = 14
/** Timeout of the question whether Innkeeper answers on a port. */
const answerTimeoutMs = 3_000

export interface PortOptions {
  readonly name: string
  /** What uses it. */
  readonly purpose: string
  readonly host: string
  readonly port: number
  /** The setting that changes it. */
  readonly setting: string
  /** Whether Innkeeper answers there. */
  readonly isOurs: (at: {
    readonly host: string
    readonly port: number
    readonly signal: AbortSignal
  }) => Promise<boolean>
  readonly timeoutMs?: number
}

/** Whether a port is free, or in use by Innkeeper itself. */
export function portCheck(options: PortOptions): Check {
  const { name, purpose, host, port, setting, isOurs, timeoutMs = answerTimeoutMs } = options
  const { ok, failed } = getResults(name)
  return {
    name,
    async run(signal) {
      const code = await listenError(host, port)
      const subject = `Port ${port} for ${purpose}`
      if (code === undefined) return ok(`${subject} is free.`)
      const advice = `Choose another one with ${setting}.`
      if (code === 'EADDRNOTAVAIL')
        return failed(`This machine does not have the address ${host}.`, `Correct ${setting.replace('PORT', 'HOST')}.`)
      if (code === 'EACCES' || code === 'EPERM')
        return failed(`${subject} may not be used by this user (${code}).`, advice)
      if (code !== 'EADDRINUSE') return failed(`${subject} cannot be used (${code}).`, advice)
      const attempt = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      // A program that speaks another protocol, or does not respond, is not Innkeeper.
      if (await isOurs({ host: getLocalAddress(host), port, signal: attempt }).catch(() => false))
        return ok(`${subject} is used by Innkeeper.`)
      return failed(`${subject} is used by another program.`, `Stop that program. ${advice}`)
    },
  }
}

/** The error code of listening there, if there is one. */
async function listenError(host: string, port: number): Promise<string | undefined> {
  const server = createServer()
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
  server.once('error', (error: NodeJS.ErrnoException) => (error.code ? resolve(error.code) : reject(error)))
  server.listen({ host, port }, () => server.close(() => resolve(undefined)))
  return await promise
}

/** The address at which a listener is reached from this machine. */
function getLocalAddress(host: string): string {
  return isOnAllAddresses(host) ? '127.0.0.1' : host
}

type IsOurs = PortOptions['isOurs']

/** Whether a panel or a node answers a request for a path with this text, over HTTP or HTTPS. */
export function answersWith(text: string, path: string): IsOurs {
  return async (target) => {
    const attempts = [httpRequest, httpsRequest].map(async (request) => {
      if (!(await readBody(request, { ...target, path })).includes(text)) throw new Error('Another program answers.')
    })
    return await Promise.any(attempts).then(
      () => true,
      () => false,
    )
  }
}

export const isPanel = answersWith('"alive":true', '/healthz')
export const isNode = answersWith('daemon is running', '/daemon')

type Target = Parameters<IsOurs>[0]

/** The first characters of the response. */
async function readBody(
  request: typeof httpRequest | typeof httpsRequest,
  target: Target & { readonly path: string },
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  // Only what answers matters here, not who it is.
  const sent = request({ ...target, agent: false, rejectUnauthorized: false }, (response) => {
    let body = ''
    response.on('data', (part: Buffer) => {
      body = (body + part.toString()).slice(0, 1_000)
    })
    response.once('error', reject)
    response.once('close', () => resolve(body))
  })
  sent.once('error', reject).end()
  return await promise
}

/** Whether the SFTP server of Innkeeper greets. */
export const greetsAsSftp: IsOurs = async ({ host, port, signal }) => {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const socket = connect({ host, port, signal })
  socket.once('data', (greeting) => resolve(greeting.toString('latin1').startsWith('SSH-2.0-Innkeeper')))
  socket.once('error', reject)
  socket.once('close', () => resolve(false))
  return await promise.finally(() => socket.destroy())
}

type Addresses = Pick<Config, 'role' | 'host' | 'port' | 'nodeHost' | 'nodePort'>

/** Whether the panel of this machine is ready, or the node runs. */
export async function isReady(
  { role, host, port, nodeHost, nodePort }: Addresses,
  signal: AbortSignal,
): Promise<boolean> {
  return role === 'node'
    ? await isNode({ host: getLocalAddress(nodeHost), port: nodePort, signal })
    : await answersWith('"ready":true', '/readyz')({ host: getLocalAddress(host), port, signal })
}

interface CertificateOptions {
  readonly cert: string | undefined
  readonly key: string | undefined
  /** The public address of the panel, if it is configured. */
  readonly masterUrl: string | undefined
  readonly now?: number
}

/** Whether the configured certificate can be used, and for how long. */
export function certificateCheck({ cert, key, masterUrl, now = Date.now() }: CertificateOptions): Check {
  const name = 'tls-certificate'
  const { ok, warning, failed } = getResults(name)
  const wrong = (message: string) => failed(message, 'Correct INNKEEPER_TLS_CERT and INNKEEPER_TLS_KEY, or renew it.')
  return {
    name,
    async run(): Promise<CheckResult> {
      if (cert === undefined || key === undefined) {
        if (masterUrl?.startsWith('http:') !== true) return ok('No certificate is configured.')
        const advice = 'Use a reverse proxy with TLS, or set INNKEEPER_TLS_CERT and INNKEEPER_TLS_KEY.'
        return warning(`${masterUrl} is not encrypted: passwords can be intercepted.`, advice)
      }
      try {
        const certificate = new X509Certificate(await readFile(cert))
        const isPair = certificate.checkPrivateKey(createPrivateKey(await readFile(key)))
        return isPair ? getValidity(certificate) : wrong(`${key} is not the key of ${cert}.`)
      } catch (error) {
        return wrong(`The certificate cannot be read: ${errorMessage(error)}`)
      }
    },
  }

  function getValidity(certificate: X509Certificate): CheckResult {
    const days = Math.floor((certificate.validToDate.getTime() - now) / dayMs)
    // The host of a URL has brackets around an IPv6 address.
    const host = masterUrl === undefined ? undefined : new URL(masterUrl).hostname.replace(/^\[(.*)\]$/, '$1')
    if (days < 0) return wrong(`The certificate expired on ${certificate.validTo}.`)
    if (certificate.validFromDate.getTime() > now)
      return wrong(`The certificate is valid from ${certificate.validFrom}.`)
    if (host !== undefined && (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) === undefined)
      return wrong(`The certificate is not for ${host}.`)
    const message = `The certificate is valid for ${days} days.`
    return days >= certificateDays ? ok(message) : warning(message, 'Renew it now, and restart Innkeeper.')
  }
}
