import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect, createServer, isIP } from 'node:net'
import { isOnAllAddresses } from '@innkeeper/panel/http/listener-url'
import { type Check, type CheckResult, messageOf } from './checks.ts'

const dayMs = 86_400_000
/** Certificate authorities renew a month before the end. */
const certificateDays = 14

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
}

/** Whether a port is free, or in use by Innkeeper itself. */
export function portCheck({ name, purpose, host, port, setting, isOurs }: PortOptions): Check {
  return {
    name,
    async run(signal) {
      const code = await listenError(host, port)
      const place = `Port ${port} for ${purpose}`
      if (code === undefined) return { name, state: 'ok', message: `${place} is free.` }
      const advice = `Choose another one with ${setting}.`
      if (code === 'EADDRNOTAVAIL')
        return {
          name,
          state: 'failed',
          message: `This machine does not have the address ${host}.`,
          advice: `Correct ${setting.replace('PORT', 'HOST')}.`,
        }
      if (code !== 'EADDRINUSE')
        return { name, state: 'failed', message: `${place} may not be used by this user (${code}).`, advice }
      const target = { host: isOnAllAddresses(host) ? '127.0.0.1' : host, port, signal }
      if (await isOurs(target).catch(() => false))
        return { name, state: 'ok', message: `${place} is used by Innkeeper.` }
      return {
        name,
        state: 'failed',
        message: `${place} is used by another program.`,
        advice: `Stop that program. ${advice}`,
      }
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

type IsOurs = PortOptions['isOurs']

/** Whether a panel or a node answers a request for a path with this text. */
export function answersWith(text: string, path: string, { isTls }: { readonly isTls: boolean }): IsOurs {
  return async ({ host, port, signal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const request = isTls ? httpsRequest : httpRequest
    // Only what answers matters here, not who it is.
    const sent = request({ host, port, path, signal, agent: false, rejectUnauthorized: false }, (response) => {
      let body = ''
      response.on('data', (part: Buffer) => {
        body = (body + part.toString()).slice(0, 1_000)
      })
      response.once('end', () => resolve(body.includes(text)))
      response.once('error', reject)
    })
    sent.once('error', reject).end()
    return await promise
  }
}

/** Whether the SFTP server of Innkeeper greets. */
export const greetsAsSftp: IsOurs = async ({ host, port, signal }) => {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const socket = connect({ host, port, signal })
  socket.once('data', (greeting) => resolve(greeting.toString('latin1').startsWith('SSH-2.0-Innkeeper')))
  socket.once('error', reject)
  return await promise.finally(() => socket.destroy())
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
  return {
    name,
    async run(): Promise<CheckResult> {
      if (cert === undefined || key === undefined) {
        if (masterUrl?.startsWith('http:') !== true)
          return { name, state: 'ok', message: 'No certificate is configured.' }
        const advice = 'Use a reverse proxy with TLS, or set INNKEEPER_TLS_CERT and INNKEEPER_TLS_KEY.'
        return {
          name,
          state: 'warning',
          message: `${masterUrl} is not encrypted: passwords can be intercepted.`,
          advice,
        }
      }
      try {
        const certificate = new X509Certificate(await readFile(cert))
        const isPair = certificate.checkPrivateKey(createPrivateKey(await readFile(key)))
        return isPair ? validityOf(certificate) : wrong(`${key} is not the key of ${cert}.`)
      } catch (error) {
        return wrong(`The certificate cannot be read: ${messageOf(error)}`)
      }
    },
  }

  function validityOf(certificate: X509Certificate): CheckResult {
    const days = Math.floor((certificate.validToDate.getTime() - now) / dayMs)
    const host = masterUrl === undefined ? undefined : new URL(masterUrl).hostname
    if (days < 0) return wrong(`The certificate expired on ${certificate.validTo}.`)
    if (certificate.validFromDate.getTime() > now)
      return wrong(`The certificate is valid from ${certificate.validFrom}.`)
    if (host !== undefined && (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) === undefined)
      return wrong(`The certificate is not for ${host}.`)
    const message = `The certificate is valid for ${days} days.`
    if (days >= certificateDays) return { name, state: 'ok', message }
    return { name, state: 'warning', message, advice: 'Renew it now, and restart Innkeeper.' }
  }

  function wrong(message: string): CheckResult {
    return { name, state: 'failed', message, advice: 'Correct INNKEEPER_TLS_CERT and INNKEEPER_TLS_KEY, or renew it.' }
  }
}
