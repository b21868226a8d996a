import { z } from 'zod/mini'

/** ID and display name of a template. */
export const TemplateReference = z.object({ name: z.string(), display: z.optional(z.string()) })
export type TemplateReference = z.infer<typeof TemplateReference>
