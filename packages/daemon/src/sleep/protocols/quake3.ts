import { connectionlessHeader, statusResponse } from '../../players/protocols/quake3.ts'
import type { LastStatus, UdpProtocol, UdpReply } from './protocol.ts'

const maxPacketBytes = 1_400
const infoResponse = Buffer.concat([connectionlessHeader, Buffer.from('infoResponse\n')])
const maxValueChars = 64

/** Games with the engine of Quake 3, and Xonotic and Nexuiz. A client asks for a challenge until it gets one. */
export const quake3: UdpProtocol = {
  transport: 'udp',
  reply(packet, _, status): UdpReply | undefined {
    if (packet.length > maxPacketBytes || !packet.subarray(0, connectionlessHeader.length).equals(connectionlessHeader))
      return undefined
    const text = packet.toString('latin1', connectionlessHeader.length)
    const [, request, challenge = ''] = /^(getinfo|getstatus)(?: (\S{0,128}))?\s*$/.exec(text) ?? []
    if (request === 'getinfo') return { answer: Buffer.concat([infoResponse, toSettings(infoOf(status, challenge))]) }
    if (request === 'getstatus')
      return { answer: Buffer.concat([statusResponse, toSettings(statusOf(status, challenge)), Buffer.from('\n')]) }
    return isJoin(text) ? { join: {} } : undefined
  },
}

/** The first packet of a player, or its second, if the first was lost. */
function isJoin(text: string): boolean {
  return /^getchallenge(?: \S{1,64}){0,2}\s*$/.test(text) || /^connect[ \\"]./s.test(text)
}

type Settings = readonly (readonly [string, string | undefined])[]

function infoOf({ name, map, players }: LastStatus, challenge: string): Settings {
  const counts: Settings = [
    ['clients', '0'],
    ['sv_maxclients', String(players.max)],
  ]
  return [['challenge', challenge], ['hostname', name], ['mapname', map], ...counts]
}

function statusOf({ name, map, version, players }: LastStatus, challenge: string): Settings {
  const texts: Settings = [
    ['sv_hostname', name],
    ['mapname', map],
    ['version', version],
  ]
  return [['challenge', challenge], ...texts, ['sv_maxclients', String(players.max)], ['g_humanplayers', '0']]
}

/** `\name\value\name\value`. */
function toSettings(settings: Settings): Buffer {
  const texts = settings.flatMap(([name, value]) =>
    value ? `\\${name}\\${value.replace(/[\\\n;"]/g, ' ').slice(0, maxValueChars)}` : [],
  )
  return Buffer.from(texts.join(''), 'latin1')
}
