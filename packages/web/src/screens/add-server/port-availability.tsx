import type { Template } from '@innkeeper/contract/definition'
import { checkPort, findFreePorts } from '@innkeeper/contract/node-ports'
import { Button, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconRefresh } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import type { Draft, EditDraft } from './draft.ts'
import { canSuggestPort, getListenAddress, nextFreePort, setPortAddress } from './port-suggestion.ts'

/** How many free ports the button offers in turn. */
const freePortCount = 20
const debounceMs = 300

interface PortAvailabilityProps {
  readonly draft: Draft
  readonly node: number
  readonly template: Template
  readonly edit: EditDraft
}

/** Fills in a free port of the node, offers others, and warns about a port that is taken. */
export function PortAvailability({ draft, node, template, edit }: PortAvailabilityProps) {
  const t = useT()
  const { list } = useFormatters()
  const params = { id: node }
  const { ip, port } = getListenAddress(draft, template)
  const [debouncedAddress] = useDebouncedValue(`${port} ${ip}`, debounceMs)
  const isSettled = debouncedAddress === `${port} ${ip}`
  const free = useApiQuery(findFreePorts, { params, query: { count: freePortCount } }, { refetchOnMount: 'always' })
  const check = useApiQuery(
    checkPort,
    { params, query: { address: ip, port } },
    { enabled: port > 0 && isSettled, refetchOnMount: 'always' },
  )
  const first = free.data?.ports[0]
  const canSuggest = canSuggestPort(draft, template, node)
  useEffect(() => {
    if (first && canSuggest) edit((current) => setPortAddress(current, template, node, first))
  }, [first, canSuggest, edit, node, template])

  const next = nextFreePort(free.data?.ports ?? [], { ip, port })
  const { isReserved, server, inUse = [], isChecked = true } = (isSettled && check.data) || {}
  const warnings = [
    isReserved &&
      (server
        ? t('add-server.PortReservedBy', { port: String(port), name: server.name })
        : t('add-server.PortReserved', { port: String(port) })),
    inUse.length > 0 &&
      t('add-server.PortInUse', { port: String(port), protocols: list(inUse.map((name) => name.toUpperCase())) }),
    !isChecked && t('add-server.PortUnchecked'),
    free.data?.hasRanges && free.data.ports.length === 0 && t('add-server.NoPortLeft'),
  ].filter((warning) => typeof warning === 'string')
  return (
    <Stack gap="xs" align="flex-start" mt="xs">
      <Text component="div" role="status" c="var(--ik-warning)" fz="compact">
        {warnings.map((warning) => (
          <p key={warning}>{warning}</p>
        ))}
      </Text>
      {next && (
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconRefresh size={15} aria-hidden />}
          onClick={() => edit((current) => setPortAddress(current, template, node, next))}
        >
          {t('add-server.UsePort', { port: String(next.port) })}
        </Button>
      )}
    </Stack>
  )
}
