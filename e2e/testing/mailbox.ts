import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'

/** A received mail with its decoded text. */
export interface Mail {
  readonly to: readonly string[]
  readonly text: string
}

interface Waiter {
  readonly to: string
  readonly resolve: (mail: Mail) => void
}

/** A mail server on loopback that stores received mails. It requires neither TLS nor a password. */
export class Mailbox {
  readonly #server: SMTPServer
  readonly #mails: Mail[] = []
  readonly #waiters = new Set<Waiter>()

  private constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData: (stream, { envelope }, done) => {
        const parts: Buffer[] = []
        stream.on('data', (part: Buffer) => parts.push(part))
        stream.once('end', () => {
          const to = envelope.rcptTo.map(({ address }) => address)
          this.#deliver({ to, text: decodeQuotedPrintable(Buffer.concat(parts).toString('utf8')) })
          done()
        })
      },
    })
  }

  static async start(): Promise<Mailbox> {
    const mailbox = new Mailbox()
    await once(mailbox.#server.listen(0, '127.0.0.1'), 'listening')
    return mailbox
  }

  /** The value of the panel's setting for the mail host. */
  get host(): string {
    const address = this.#server.server.address()
    if (typeof address !== 'object' || address === null) throw new Error('The mail server is not listening')
    return `smtp://127.0.0.1:${address.port}`
  }

  /** Waits for the next mail to this address and removes it from the mailbox. */
  mailTo(to: string): Promise<Mail> {
    const index = this.#mails.findIndex((mail) => mail.to.includes(to))
    const [received] = index < 0 ? [] : this.#mails.splice(index, 1)
    if (received) return Promise.resolve(received)
    return new Promise((resolve) => this.#waiters.add({ to, resolve }))
  }

  async close(): Promise<void> {
    await new Promise<void>((closed) => this.#server.close(closed))
  }

  #deliver(mail: Mail): void {
    const waiter = [...this.#waiters].find(({ to }) => mail.to.includes(to))
    if (!waiter) {
      this.#mails.push(mail)
      return
    }
    this.#waiters.delete(waiter)
    waiter.resolve(mail)
  }
}

/** Decodes the quoted-printable encoding. */
function decodeQuotedPrintable(raw: string): string {
  return raw
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
}

/** The link to a page in a mail. */
export function linkIn(mail: Mail, path: string): string {
  const link = mail.text.match(/https?:\/\/[^\s"<>]+/g)?.find((url) => URL.parse(url)?.pathname === path)
  if (!link) throw new Error(`No link to ${path} in:\n${mail.text}`)
  return link.replaceAll('&amp;', '&')
}
