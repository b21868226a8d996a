import { z } from 'zod/mini'

const Srv = z.object({
  service: z.string().check(z.regex(/^[a-z0-9](?:[a-z0-9-]{0,13}[a-z0-9])?$/)),
  protocol: z.enum(['tcp', 'udp']),
})
/** Under which name clients of a game look for the port: `_minecraft._tcp`. */
export type Srv = z.infer<typeof Srv>

/** The SRV record of a template, if its game uses one. */
export function findSrv({ srv }: { readonly srv?: unknown }): Srv | undefined {
  return Srv.safeParse(srv).data
}
