import type { Template } from '@innkeeper/contract/definition'
import { checkPort, findFreePorts } from '@innkeeper/contract/node-ports'
import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconRefresh } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import classes from './add-server-screen.module.css'
import type { Draft } from './draft.ts'
import { addressNow, isOpenToProposal, type Place, placeAfter, withPlace } from './proposal.ts'

/** So many free ports are at hand for whoever wants another one. */
const portsAsked = 20
const typingMs = 300

interface PortHelpProps {
  readonly draft: Draft & { readonly node: number }
  readonly template: Template
  readonly edit: (changed: (before: Draft) => Draft) => void
}

/** Proposes a free port of the node, offers others, and warns of one that somebody has. */
export function PortHelp({ draft, template, edit }: PortHelpProps) {
  const t = useT()
  const { node } = draft
  const params = { id: node }
  const { ip, port } = addressNow(draft, template)
  const [asked] = useDebouncedValue(`${port} ${ip}`, typingMs)
  const isSettled = asked === `${port} ${ip}`
  const free = useApiQuery(findFreePorts, { params, query: { count: portsAsked } }, { refetchOnMount: 'always' })
  const check = useApiQuery(
    checkPort,
    { params, query: { address: ip, port } },
    { enabled: port > 0 && isSettled, refetchOnMount: 'always' },
  )
  const first = free.data?.ports[0]
  const isOpen = isOpenToProposal(draft, template, node)

  const take = (place: Place) => edit((before) => withPlace(before, template, node, place))
  useEffect(() => {
    if (first && isOpen) edit((before) => withPlace(before, template, node, first))
  }, [first, isOpen, edit, node, template])

  const other = placeAfter(free.data?.ports ?? [], { ip, port })
  const { isReserved, server, inUse = [], isChecked = true } = (isSettled && check.data) || {}
  const warnings = [
    isReserved && (server ? t('add-server.PortReservedBy', { name: server.name }) : t('add-server.PortReserved')),
    inUse.length > 0 && t('add-server.PortInUse', { protocols: inUse.join(', ').toUpperCase() }),
    !isChecked && t('add-server.PortUnchecked'),
    free.data?.hasRanges && free.data.ports.length === 0 && t('add-server.NoPortLeft'),
  ].filter((warning) => typeof warning === 'string')
  return (
    <div className={classes.portHelp}>
      <div role="status" className={classes.warning}>
        {warnings.map((warning) => (
          <p key={warning}>{warning}</p>
        ))}
      </div>
      {other && (
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconRefresh size={15} aria-hidden />}
          onClick={() => take(other)}
        >
          {t('add-server.AnotherPort')}
        </Button>
      )}
    </div>
  )
}
