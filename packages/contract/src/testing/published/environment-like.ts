import type { Oddities } from './sketch.ts'

/** Parses `docker:image+ports`, `host` or `tty`. `{name}` is a variable. */
export function environmentLike(text: string, odd: Oddities): object {
  if (text === 'empty') return { type: '' }
  if (!text.startsWith('docker')) {
    if (!['host', 'standard', 'tty'].includes(text)) throw new Error(`unknown environment ${text}`)
    return { type: text, ...(odd.has('unshare') && { disableUnshare: false, mounts: [] }) }
  }
  const [image = '', ports] = text.slice('docker:'.length).replaceAll('{', '${').split('+')
  const bindings = {
    ports: [odd.has('portNoHost') ? '${port}:${port}' : '0.0.0.0:${port}:${port}/tcp', '0.0.0.0:${port}:${port}/udp'],
    udp: ['0.0.0.0:${port}:${port}/udp'],
  }[ports ?? '']
  if (ports !== undefined && !bindings) throw new Error(`invalid ports: ${ports}`)
  return {
    ...{ type: 'docker', image },
    ...(bindings && { portBindings: bindings }),
    ...(odd.has('allFields') && {
      ...{ networkMode: 'host', networkName: '', bindings: {}, portBindings: [], hostConfig: {}, containerRoot: '' },
    }),
  }
}
