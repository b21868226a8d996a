import { defaultPalettes } from '@innkeeper/contract/theme/palette'
import { readTheme, type Theme } from '@innkeeper/contract/theme/theme-file'
import { ColorSwatch, Group, useComputedColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

/** Reads the archive of a theme; its images are not loaded. */
export function useTheme(name: string) {
  return useQuery({
    queryKey: ['theme', name],
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<Theme> => {
      const response = await fetch(`/theme/${encodeURIComponent(name)}.tar`, { signal })
      if (!response.ok) throw new Error(`The theme '${name}' could not be loaded: ${response.status}`)
      return readTheme(new Uint8Array(await response.arrayBuffer()))
    },
  })
}

/** The primary and accent color of a theme in the current color scheme. */
export function ThemeSwatches({ name, size = 14 }: { name: string; size?: number }) {
  const scheme = useComputedColorScheme('light')
  const { data } = useTheme(name)
  const palette = { ...defaultPalettes[scheme], ...data?.palettes[scheme] }
  return (
    <Group gap="2xs" wrap="nowrap" aria-hidden style={{ visibility: data ? undefined : 'hidden' }}>
      <ColorSwatch size={size} radius="xs" color={palette.primary} withShadow={false} />
      <ColorSwatch size={size} radius="xs" color={palette.highlight} withShadow={false} />
    </Group>
  )
}
