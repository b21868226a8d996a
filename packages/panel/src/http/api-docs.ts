import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'

interface Deps {
  /** The current OpenAPI document. */
  readonly document: () => Promise<unknown>
}

const publicly = { access: 'public' } as const
const root = '/api/docs'

/** Files of Swagger UI that the page uses. */
const assets = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>API</title>
<link rel="stylesheet" href="${root}/assets/swagger-ui.css">
<link rel="icon" type="image/png" href="${root}/assets/favicon-32x32.png">
</head>
<body>
<div id="api"></div>
<script src="${root}/assets/swagger-ui-bundle.js"></script>
<script src="${root}/assets/start.js"></script>
</body>
</html>
`

const start = `SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  // Disables the online validator of swagger.io.
  validatorUrl: null,
})
`

/** Serves the OpenAPI document and a page that displays it without external resources. */
export function registerApiDocs(app: FastifyInstance, { document }: Deps): void {
  app.get('/api/openapi.json', { config: publicly }, async (request, reply) => {
    const text = JSON.stringify(await document())
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
    reply.header('cache-control', 'no-cache').header('etag', etag)
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(text)
  })
  for (const url of [root, `${root}/`]) {
    app.get(url, { config: publicly }, (_request, reply) => {
      reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(page)
    })
  }

  app.get(`${root}/assets/start.js`, { config: publicly }, (_request, reply) => {
    reply.header('cache-control', 'no-cache').type('text/javascript; charset=utf-8').send(start)
  })
  const library = dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json'))
  for (const [name, type] of Object.entries(assets)) {
    app.get(`${root}/assets/${name}`, { config: publicly }, (_request, reply) =>
      reply
        .header('cache-control', 'max-age=3600')
        .type(type)
        .send(createReadStream(join(library, 'static', name))),
    )
  }
}
