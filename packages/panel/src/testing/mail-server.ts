import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** A received mail. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** The authenticated user. */
  readonly user: string | undefined
  readonly isSecure: boolean
  readonly raw: string
  readonly headers: Readonly<Record<string, string>>
  /** The decoded subject and text. */
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** An SMTP server that stores received mails. Its certificate is self-signed. */
export class MailServer {
  readonly received: ReceivedMail[] = []
  /** All user names and passwords of logins. */
  readonly logins: string[] = []
  readonly #server: SMTPServer

  private constructor(options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      authOptional: true,
      logger: false,
      onAuth: ({ username = '', password = '' }, _session, done) => {
        this.logins.push(`${username}:${password}`)
        if (password === 'right') done(null, { user: username })
        else done(new Error('Invalid username or password'))
      },
      onData: (stream, session, done) => {
        const parts: Buffer[] = []
        stream.on('data', (part: Buffer) => parts.push(part))
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope
          this.received.push({
            from: mailFrom ? mailFrom.address : '',
            to: rcptTo.map(({ address }) => address),
            user: session.user,
            isSecure: session.secure,
            ...read(Buffer.concat(parts).toString('utf8')),
          })
          done(null, 'queued as 4711')
        })
      },
      ...options,
    })
    // Some tests disconnect in the middle of a mail.
    this.#server.on('error', () => undefined)
  }

  static async start(options: SMTPServerOptions = {}, host = '127.0.0.1'): Promise<MailServer> {
    const server = new MailServer(options)
    server.#server.listen(0, host)
    await once(server.#server.server, 'listening')
    return server
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }
}

function read(raw: string): Pick<ReceivedMail, 'raw' | 'headers' | 'subject' | 'text' | 'html'> {
  const { headers, body } = split(raw)
  const boundary = /boundary="?([^";]+)/.exec(headers['content-type'] ?? '')?.[1] ?? ''
  const parts = body.split(`--${boundary}`).map((part) => split(part.trimStart()))
  const of = (type: string) => decoded(parts.find((part) => part.headers['content-type']?.startsWith(type)))
  return { raw, headers, subject: decodedWords(headers.subject ?? ''), text: of('text/plain'), html: of('text/html') }
}

function split(text: string): { headers: Record<string, string>; body: string } {
  const end = text.indexOf('\r\n\r\n')
  const lines = text
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const pairs = lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)])
  return { headers: Object.fromEntries(pairs), body: text.slice(end + 4) }
}

function decoded(part: ReturnType<typeof split> | undefined): string {
  if (!part) return ''
  const encoding = part.headers['content-transfer-encoding']
  if (encoding === 'base64') return Buffer.from(part.body, 'base64').toString('utf8')
  if (encoding !== 'quoted-printable') return part.body
  const bytes = part.body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** A header that may be encoded (RFC 2047). */
function decodedWords(header: string): string {
  return header
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?(b|q)\?([^?]*)\?=/gi, (_, how: string, text: string) =>
      how.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64').toString('utf8')
        : decodeURIComponent(text.replaceAll('_', ' ').replaceAll('%', '%25').replaceAll('=', '%')),
    )
}
