import { z } from 'zod'

/** ID and display name of a template. */
export const TemplateReference = z.object({ name: z.string(), display: z.string().optional() })
export type TemplateReference = z.infer<typeof TemplateReference>
