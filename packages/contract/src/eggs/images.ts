import type { Egg } from './egg.ts'

export function imagesOf({ docker_images, images, image }: Egg): string[] {
  const named = docker_images ? Object.values(docker_images) : (images ?? [image])
  // `~` in front means: do not pull.
  const plain = named.map((name) => name.trim().replace(/^~/, '')).filter((name) => name !== '')
  return [...new Set(plain)].slice(0, 100)
}

/** A container that publishes the port as the other panel does. */
export const environmentOf = (image: string) => ({
  type: 'docker',
  image,
  networkMode: 'bridge',
  portBindings: ['${ip}:${port}:${port}/tcp', '${ip}:${port}:${port}/udp'],
})
