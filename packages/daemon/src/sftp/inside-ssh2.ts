import type { ServerChannel } from 'ssh2'

/** Where ssh2 keeps what each side of a channel may still send, in bytes. */
export interface ChannelEnds {
  readonly incoming: { window: number }
  readonly outgoing: { readonly id: number; readonly state: string; readonly window: number }
}

/** `undefined` where ssh2 keeps it elsewhere. */
export function endsOf(channel: ServerChannel): ChannelEnds | undefined {
  const [incoming, outgoing]: unknown[] = [Reflect.get(channel, 'incoming'), Reflect.get(channel, 'outgoing')]
  const isKnown =
    typeof fieldOf(incoming, 'window') === 'number' &&
    typeof fieldOf(outgoing, 'window') === 'number' &&
    typeof fieldOf(outgoing, 'id') === 'number' &&
    typeof fieldOf(outgoing, 'state') === 'string'
  return isKnown ? (channel as unknown as ChannelEnds) : undefined
}

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** What an object of ssh2 has by a name that its types do not tell. */
export const fieldOf = (of: unknown, name: string): unknown => (isObject(of) ? Reflect.get(of, name) : undefined)
