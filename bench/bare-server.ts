import { createServer } from 'node:http'

/** The reference of `api` and `rest`: a `node:http` server that answers every request with the same small JSON object. */
const body = JSON.stringify({ id: '0a1b2c3d', name: 'bench', running: false })
createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
}).listen(Number(process.argv[2]), '127.0.0.1')
