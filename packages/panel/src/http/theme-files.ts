import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { FastifyInstance } from 'fastify'
import type { ThemesService } from '../themes/themes.ts'

/** Serves `/theme/<name>.tar` publicly: the sign-in page has a theme too. */
export function registerThemeFiles(app: FastifyInstance, themes: Pick<ThemesService, 'archive'>): void {
  app.get('/theme/:file', { config: { access: 'public' } }, async (request, reply) => {
    const { file } = request.params as { readonly file: string }
    const theme = file.endsWith('.tar') ? await themes.archive(file.slice(0, -'.tar'.length)) : undefined
    if (!theme) throw new Refusal('ErrNotFound')
    const etag = `"${theme.version}"`
    reply.header('etag', etag).header('cache-control', 'no-cache')
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.type('application/x-tar').send(Buffer.from(theme.bytes))
  })
}
