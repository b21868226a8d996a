import { z } from 'zod/mini'
import { ServerId } from '../text/server-id.ts'

/** Path parameters of the endpoints of a server. */
export const OnServer = z.object({ id: ServerId })

/** Path parameters of the endpoints of a node. */
export const OnNode = z.object({ id: z.coerce.number().check(z.int(), z.minimum(0)) })
