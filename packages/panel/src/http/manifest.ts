import type { FastifyInstance } from 'fastify'

/** Serves the web app manifest (https://www.w3.org/TR/appmanifest/), with the configured company name. */
export function registerManifest(app: FastifyInstance, companyName: () => Promise<string>): void {
  app.get('/manifest.json', { config: { access: 'public' } }, async (_request, reply) => {
    const name = await companyName()
    reply.header('cache-control', 'no-cache').type('application/manifest+json')
    return {
      id: '/',
      name,
      short_name: [...name].slice(0, 12).join(''),
      start_url: '/server',
      scope: '/',
      display: 'standalone',
      background_color: '#0f1319',
      theme_color: '#161b23',
      icons: [
        { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
        { src: '/icon-512.png', sizes: '512x512', type: 'image/png' },
        { src: '/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
      ],
    }
  })
}
