import { ReportedError } from '@innkeeper/contract/errors/refusal-envelope'
import type { ServerMessage } from '@innkeeper/contract/servers/live'
import { ServerStats, ServerStatus } from '@innkeeper/contract/servers/status'
import { z } from 'zod/mini'

const Message: z.ZodMiniType<ServerMessage> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('console'),
    data: z.object({ logs: z.array(z.string()), epoch: z.int(), from: z.number(), to: z.number() }),
  }),
  z.object({ type: z.literal('replay'), data: z.object({ from: z.number(), to: z.number() }) }),
  z.object({ type: z.literal('status'), data: ServerStatus }),
  z.object({ type: z.literal('stat'), data: ServerStats }),
  z.object({ type: z.literal('terminal'), data: z.object({ cols: z.int(), rows: z.int() }) }),
  z.object({ type: z.literal('pong'), data: z.catch(z.record(z.string(), z.never()), {}) }),
  z.object({ type: z.literal('permissions'), data: z.catch(z.record(z.string(), z.never()), {}) }),
  z.object({ type: z.literal('error'), data: ReportedError }),
])

/** Parses a frame of the live socket. Returns undefined for unknown messages. */
export function parseMessage(frame: unknown): ServerMessage | undefined {
  if (typeof frame !== 'string') return undefined
  const json = parseJson(frame)
  const read = Message.safeParse(json)
  return read.success ? read.data : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Handled like an unknown message.
    return undefined
  }
}
