import { isPort, isPortName, isPortTitle } from '../definitions/port-variables.ts'
import type { Egg, EggVariable } from './egg.ts'

/** Folder of the server in its container, as in the other panels. */
const home = '/home/container'

/** An image of an egg with the name that the egg gives it: `Java 21`. */
export interface EggImage {
  readonly image: string
  readonly name: string
}

export function getImages({ docker_images, images, image: single }: Egg): EggImage[] {
  const list = docker_images ?? images ?? [single]
  const named = Object.entries(list).map(([name, text]): EggImage => {
    // `~` in front means: do not pull.
    const plain = text.trim().replace(/^~/, '').trim()
    return { image: plain, name: (Array.isArray(list) ? '' : name.trim()) || plain }
  })
  return named
    .filter(({ image }, at) => image !== '' && named.findIndex((other) => other.image === image) === at)
    .slice(0, 100)
}

/** The variable that selects one of several images. */
export const imageVariable = (images: readonly EggImage[]) => ({
  type: 'option',
  display: 'Image',
  value: images[0]?.image ?? '',
  required: true,
  userEdit: true,
  options: images.map(({ image: value, name }) => ({ value, display: name })),
})

/**
 * The container of an egg: the entry point of the image runs and gets the start command in a variable; the main port
 * and all ports of variables are published.
 */
export const getEnvironment = (image: string, ports: readonly string[]) => ({
  type: 'docker',
  image,
  commandAs: 'variable',
  containerRoot: home,
  readOnlyRoot: true,
  tmpfs: { '/tmp': '100m' },
  networkMode: 'bridge',
  portBindings: ['port', ...ports].flatMap(getBindings),
  limits: { memory: '${memory}' },
})

/** The bindings of a port variable. The other panels publish each port with both protocols. */
export const getBindings = (variable: string): string[] =>
  ['tcp', 'udp'].map((protocol) => `\${ip}:\${${variable}}:\${${variable}}/${protocol}`)

/** Names of the variables that are further ports: by their name, or by the name that users see and a port as value. */
export function getPortVariables(variables: readonly EggVariable[]): string[] {
  const ports = variables.filter(
    ({ env_variable, name, default_value }) =>
      isPortName(env_variable) || (isPortTitle(name) && isPort(default_value.trim())),
  )
  return [...new Set(ports.map(({ env_variable }) => env_variable))]
}
