import { createHash } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Template } from '@innkeeper/contract/definitions/definition'
import { installServer, killServer, startServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { BackupServer } from '../testing/backup-server.ts'
import { TestNode } from '../testing/daemon.ts'

const wait = { wait: true }
const rounds = 20
const template = fileURLToPath(new URL('../../../../templates/luanti/luanti.json', import.meta.url))

/** A mod that changes the map and its own storage in each step of the game. */
const mod = `
local storage = core.get_mod_storage()
local from, to = vector.new(-32, -32, -32), vector.new(32, 32, 32)
core.after(0, function() core.emerge_area(from, to) end)
core.register_globalstep(function()
  local count = storage:get_int("count") + 1
  storage:set_int("count", count)
  local name = count % 2 == 0 and "default:stone" or "default:dirt"
  for x = from.x, to.x, 4 do
    for z = from.z, to.z, 4 do core.set_node(vector.new(x, count % 32, z), { name = name }) end
  end
  if count % 20 == 0 then print("step " .. count) end
end)
`

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  socket.close()
  return port
}

test('a game whose world changes is backed up 20 times, and starts from each backup', {
  timeout: 600_000,
}, async () => {
  await using node = await TestNode.start({ backups: { freezeMs: 60_000 } })
  const server = new BackupServer(node)
  const { params } = server
  const definition = Template.parse(JSON.parse(readFileSync(template, 'utf8')))
  const values = { ip: '127.0.0.1', port: await freeUdpPort() }
  for (const [name, value] of Object.entries(values)) Object.assign(definition.data[name] ?? {}, { value })
  await node.client.asPanel('PUT', `/daemon/server/${server.id}`, definition)
  await node.client.send(installServer, { params, query: wait })
  server.write('world/worldmods/changes/mod.conf', 'name = changes\n')
  server.write('world/worldmods/changes/init.lua', mod)
  // Otherwise it saves its map only now and then.
  server.write('minetest.conf', `${server.read('minetest.conf')}\nserver_map_save_interval = 0.1\n`)

  const playing = await node.client.watch(server.id)
  await node.client.send(startServer, { params, query: wait })
  await playing.untilText('step 20', 60_000)
  const backups = []
  for (let round = 0; round < rounds; round++) {
    backups.push(await server.backUp(String(round)))
    const seen = playing.text.length
    await playing.until('that the world changes', ({ text }) => text.indexOf('step', seen) > 0, 60_000)
  }
  await node.client.send(killServer, { params, query: wait })

  const worlds = new Set<string>()
  for (const backup of backups) {
    expect(await server.restore(backup)).toMatchObject({ state: 'done' })
    const map = new Database(`${server.dir}/world/map.sqlite`)
    expect(map.pragma('integrity_check', { simple: true })).toBe('ok')
    map.close()
    worlds.add(
      createHash('sha256')
        .update(readFileSync(`${server.dir}/world/map.sqlite`))
        .digest('hex'),
    )
    const watcher = await node.client.watch(server.id)
    await node.client.send(startServer, { params, query: wait })
    await watcher.untilHeard('status', { state: 'online' })
    await node.client.send(stopServer, { params, query: wait })
    watcher.socket.close()
  }
  expect(backups.map((backup) => backup.server)).toEqual(Array(rounds).fill('paused'))
  // The world was another one each time.
  expect(worlds.size).toBe(rounds)
})
