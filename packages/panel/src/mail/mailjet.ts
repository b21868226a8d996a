import { DeliveryError } from '@innkeeper/contract/alerts/delivery-error'
import { trimEnd } from '@innkeeper/contract/text/trim-end'
import { z } from 'zod'
import type { Provider } from './provider.ts'
import { getMessage, sendRequest } from './provider-request.ts'

const Answer = z.looseObject({
  Messages: z.array(
    z.looseObject({ Status: z.string(), Errors: z.array(z.looseObject({ ErrorMessage: z.string() })).optional() }),
  ),
})

/** Sends mails through Mailjet. */
export const mailjet =
  (base: string): Provider =>
  async (settings, { id, from, to, subject, text, html }, signal) => {
    const message = {
      From: { Email: from.address, Name: from.name },
      To: [{ Email: to }],
      Subject: subject,
      TextPart: text,
      HTMLPart: html,
      CustomID: id,
      Headers: { 'Auto-Submitted': 'auto-generated' },
    }
    const [user, password] = [settings['panel.email.domain'], settings['panel.email.key']]
    const response = await sendRequest(
      { url: `${trimEnd(base, '/')}/v3.1/send`, user, password, body: { Messages: [message] } },
      signal,
    )
    // Mailjet reports a rejected message with status 200.
    const [first] = Answer.safeParse(response).data?.Messages ?? []
    if (first?.Status === 'success') return `Status: ${first.Status}`
    throw new DeliveryError(first?.Errors?.map((error) => error.ErrorMessage).join('; ') || getMessage(response), {
      isFinal: first !== undefined,
    })
  }
