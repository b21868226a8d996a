// listen.mjs <port>: listens on a port of the loopback; ends with an error when it is taken.
import { createServer } from 'node:net'

const port = Number(process.argv[2])
createServer()
  .on('error', (error) => {
    console.error(error.message)
    process.exit(1)
  })
  .listen(port, '127.0.0.1', () => console.log(`listening on ${port}`))
