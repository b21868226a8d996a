import { isIP } from 'node:net'
import { limits } from '@innkeeper/contract/limits'
import { parseSmtpHost } from '@innkeeper/contract/settings'
import { createTransport } from 'nodemailer'
import { DeliveryError } from './delivery-error.ts'
import type { Provider } from './providers.ts'

/** Hands letters to a mail server. A password goes over TLS only, unless the setting allows it without. */
export const smtp: Provider = async (settings, { id, from, to, subject, text, html }, signal) => {
  const server = parseSmtpHost(settings['panel.email.host'])
  if (!server) throw new DeliveryError('The address of the mail server cannot be read.')
  const { host, port, tls } = server
  const [user, pass] = [settings['panel.email.username'], settings['panel.email.password']]
  // Nobody stands between us and our own machine; its certificate is often one that it made itself.
  const isHere = ['localhost', '127.0.0.1', '::1'].includes(host)

  const transport = createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls' && user !== '' && !isHere,
    tls: { rejectUnauthorized: !isHere, ...(isIP(host) ? {} : { servername: host }) },
    ...(user === '' ? {} : { auth: { user, pass } }),
    connectionTimeout: limits.mailSendMs,
    greetingTimeout: limits.mailSendMs,
    socketTimeout: limits.mailSendMs,
    // Nothing that a person wrote makes it read a file or ask an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
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
    if (signal.aborted) throw new DeliveryError('The mail server took too long.', { cause: error })
    const { code, responseCode = 0 } = error as { code?: string; responseCode?: number }
    // It does not want this letter; that it does not want our password is for an administrator to mend.
    const isFinal = responseCode >= 500 && code !== 'EAUTH'
    throw new DeliveryError(error instanceof Error ? error.message : String(error), { isFinal, cause: error })
  } finally {
    transport.close()
  }
}
