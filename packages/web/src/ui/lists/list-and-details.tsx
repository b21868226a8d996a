import { Box, Flex, NavLink } from '@mantine/core'
import { type ReactNode, useState } from 'react'

interface ListAndDetailsProps<T> {
  /** The accessible name of the list. */
  readonly label: string
  readonly items: readonly T[]
  readonly getKey: (item: T) => string
  readonly renderEntry: (item: T) => { readonly label: string; readonly description: ReactNode }
  readonly renderDetails: (item: T) => ReactNode
}

/** A list and the details of its selected entry, at first of the first one: side by side, on phones one below the other. */
export function ListAndDetails<T>({ label, items, getKey, renderEntry, renderDetails }: ListAndDetailsProps<T>) {
  const [selectedKey, setSelectedKey] = useState<string>()
  const selected = items.find((item) => getKey(item) === selectedKey) ?? items[0]
  if (selected === undefined) return null
  return (
    <Flex gap="md" direction={{ base: 'column', sm: 'row' }}>
      <Box
        component="nav"
        flex="none"
        w={{ base: '100%', sm: '15rem' }}
        mah={{ base: '30dvh', sm: '70dvh' }}
        style={{ overflow: 'auto' }}
        aria-label={label}
      >
        {items.map((item) => (
          <NavLink
            key={getKey(item)}
            component="button"
            type="button"
            active={item === selected}
            aria-current={item === selected}
            {...renderEntry(item)}
            onClick={() => setSelectedKey(getKey(item))}
          />
        ))}
      </Box>
      <Box key={getKey(selected)} flex={1} miw={0}>
        {renderDetails(selected)}
      </Box>
    </Flex>
  )
}
