import { z } from 'zod/mini'
import { onOneLine } from '../errors/one-line.ts'
import type { AlertType } from './alerts.ts'

/** What happened to an order of a shop. */
export const orderEvents = ['created', 'changed', 'suspended', 'resumed', 'ended', 'deleted', 'failed'] as const
export const OrderEvent = z.object({ shop: z.string(), order: z.string(), event: z.enum(orderEvents) })
export type OrderEvent = z.infer<typeof OrderEvent>

/** What a message is about, as stored with its delivery. */
export const AlertContent = z.object({
  /** Epoch milliseconds. */
  at: z.number(),
  /** In English. */
  detail: z.string(),
  server: z.optional(z.object({ id: z.string(), name: z.string() })),
  node: z.optional(z.object({ id: z.number(), name: z.string() })),
  order: z.optional(OrderEvent),
})
export type AlertContent = z.infer<typeof AlertContent>

/** A message before it is rendered for a channel. */
export interface AlertMessage {
  /** The same for each attempt. */
  readonly id: string
  readonly type: AlertType | 'test'
  readonly isResolved: boolean
  readonly content: AlertContent
}

/** A message in the language of a channel. */
export interface RenderedAlert {
  readonly title: string
  /** In English; may be empty. */
  readonly detail: string
  /** The page of the server or node, when the URL of the panel is known. */
  readonly url: string | undefined
}

/** The titles of alerts in one language; `resolved` is appended to that of an alert that has ended. */
export type AlertTitles = Readonly<Partial<Record<AlertType | 'test' | 'resolved', string>>>

/** The title of a message, for example `Server crashed: lobby`. */
export function getTitle({ type, isResolved, content }: AlertMessage, titles: AlertTitles): string {
  const name = content.server?.name ?? content.node?.name
  const kind = titles[type] ?? type
  const title = name === undefined ? kind : `${kind}: ${onOneLine(name)}`
  return isResolved ? `${title} (${titles.resolved ?? 'resolved'})` : title
}

export function renderAlert(message: AlertMessage, titles: AlertTitles, masterUrl: string | undefined): RenderedAlert {
  const { server, node, detail } = message.content
  const path = server ? `/server/${server.id}` : node ? `/node/${node.id}` : '/settings'
  return {
    title: getTitle(message, titles),
    detail: onOneLine(detail),
    url: masterUrl === undefined ? undefined : masterUrl + path,
  }
}
