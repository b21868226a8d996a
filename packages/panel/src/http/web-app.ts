import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { authPages } from '@innkeeper/contract/http/auth-pages'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Prefixes of the API: unknown paths there respond with a JSON error, not with the page. */
const apiPrefixes = ['api', 'auth', 'oauth2', 'proxy', 'daemon', 'theme', 'assets', 'healthz', 'readyz', 'metrics']

/** Pages of the web app below these prefixes. */
const pages: readonly string[] = authPages

const notBuiltPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Innkeeper</title>
<h1>The web app is not built yet</h1>
<p>Run <code>npm run build</code> in the folder of Innkeeper, then load this page again.</p>
`

/** Serves the built web app; every unknown path returns its page. */
export async function registerWebApp(app: FastifyInstance, webDir: string | undefined): Promise<void> {
  const root = webDir !== undefined && existsSync(webDir) ? webDir : undefined
  if (root !== undefined) {
    await app.register(fastifyStatic, { root, serve: false, preCompressed: true, index: false, dotfiles: 'ignore' })
    app.get('/*', { config: { access: 'public' } }, (request, reply) => {
      const path = (request.params as { '*': string })['*']
      if (path === '' || path === 'index.html') return notFound(request, reply)
      const isHashed = path.startsWith('assets/')
      reply.sendFile(path, isHashed ? { maxAge: '365d', immutable: true } : { maxAge: 0 })
    })
  }
  app.setNotFoundHandler(notFound)

  function notFound(request: FastifyRequest, reply: FastifyReply): void {
    const path = getPath(request.url)
    const isPage = ['GET', 'HEAD'].includes(request.method) && (!isForPrograms(path) || pages.includes(path))
    if (!isPage) throw new Refusal('ErrNotFound')
    reply.code(200).header('cache-control', 'no-cache')
    if (root !== undefined && existsSync(join(root, 'index.html')))
      reply.sendFile('index.html', { cacheControl: false })
    else reply.type('text/html').send(notBuiltPage)
  }
}

function isForPrograms(path: string): boolean {
  return apiPrefixes.includes(path.split('/')[1] ?? '')
}

function getPath(url: string): string {
  const path = url.split('?')[0] ?? ''
  try {
    return decodeURIComponent(path)
  } catch {
    // A path that cannot be decoded is used as it is.
    return path
  }
}
