import { isIP } from 'node:net'
import { DeliveryError } from '@innkeeper/contract/alerts/delivery-error'
import { errorMessage } from '@innkeeper/contract/errors/error-message'
import { parseSmtpHost, type SettingValues } from '@innkeeper/contract/settings/settings'
import type { Provider } from './provider.ts'

/** Timeout of the delivery of one mail. */
export const sendTimeoutMs = 30_000
/** Timeout of connecting and logging in. Shorter than that of a check of `innkeeper doctor`. */
const verifyTimeoutMs = 8_000

/** Sends mails over SMTP. A password is only sent over TLS, unless the setting allows otherwise. */
export const smtp: Provider = async (settings, { id, from, to, subject, text, html }, signal) => {
  const transport = await openTransport(settings)
  try {
    const { response } = await transport.sendMail({
      messageId: `<${id}@${from.address.split('@')[1]}>`,
      from,
      to: { name: '', address: to },
      subject,
      text,
      html,
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal,
    })
    return response
  } catch (error) {
    if (signal.aborted) throw new DeliveryError('The mail server timed out.', { cause: error })
    const { code, responseCode = 0 } = error as { code?: string; responseCode?: number }
    // A 5xx is permanent for this message, unless it is an authentication error.
    const isFinal = responseCode >= 500 && code !== 'EAUTH'
    throw new DeliveryError(getReason(error), { isFinal, cause: error })
  } finally {
    transport.close()
  }
}

interface VerifyOptions {
  readonly signal: AbortSignal
  readonly timeoutMs?: number
}

/** Connects and logs in to the configured mail server. Returns why that failed. */
export async function verifySmtp(
  settings: SettingValues,
  { signal, timeoutMs = verifyTimeoutMs }: VerifyOptions,
): Promise<string | undefined> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const either = AbortSignal.any([signal, timeout])
  either.addEventListener('abort', () => reject(either.reason), { once: true })
  try {
    // `verify` cannot be aborted. Its connection ends with the timeouts of the transport.
    const transport = await openTransport(settings, timeoutMs)
    await Promise.race([transport.verify(), aborted])
    return undefined
  } catch (error) {
    if (timeout.aborted) return `The mail server did not respond within ${timeoutMs / 1000} seconds.`
    return getReason(error)
  }
}

/**
 * Without a method that both know, the library tries one that the server does not offer: its answer, 500 to 504, does not
 * say why.
 */
function getReason(error: unknown): string {
  const { code, responseCode = 0 } = error as { code?: string; responseCode?: number }
  const text = errorMessage(error)
  if (code !== 'EAUTH' || responseCode < 500 || responseCode > 504) return text
  return `The mail server offers no sign-in method that Innkeeper knows (CRAM-MD5, LOGIN, PLAIN). ${text}`
}

/** @throws DeliveryError when the address of the server is not valid */
async function openTransport(settings: SettingValues, timeoutMs = sendTimeoutMs) {
  const server = parseSmtpHost(settings['panel.email.host'])
  if (!server) throw new DeliveryError('The address of the mail server is not valid.')
  const { host, port, tls } = server
  const [user, pass] = [settings['panel.email.username'], settings['panel.email.password']]
  // Local connections cannot be intercepted, and local mail servers often have self-signed certificates.
  const isHere = ['localhost', '127.0.0.1', '::1'].includes(host)

  // Most panels never send by SMTP, and the library takes 20 MiB of memory.
  const { createTransport } = await import('nodemailer')
  return createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls' && user !== '' && !isHere,
    tls: { rejectUnauthorized: !isHere, ...(isIP(host) ? {} : { servername: host }) },
    ...(user === '' ? {} : { auth: { user, pass } }),
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // User input must not make the library read files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}
