import { Anchor, List, Text } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { issueSummary } from './messages.ts'
import { sectionElementId } from './section-card.tsx'
import type { DefinitionKind, ValidationIssue } from './validation.ts'

/** Everything that is wrong with the definition. Each entry links to its section. */
export function IssueList({ issues, kind }: { issues: readonly ValidationIssue[]; kind: DefinitionKind }) {
  const t = useT()
  if (issues.length === 0) return null
  const isBlocked = issues.some(({ isBlocking }) => isBlocking)
  const showSection = ({ section }: ValidationIssue) => {
    const element = document.getElementById(sectionElementId(section))
    element?.scrollIntoView({ block: 'start' })
    element?.querySelector('h2')?.focus({ preventScroll: true })
  }
  return (
    <Alert type={isBlocked ? 'error' : 'warning'} urgent={false}>
      <Text inherit mb="2xs">
        {t(isBlocked ? 'definition.BlockingIssues' : 'definition.OtherIssues')}
      </Text>
      <List fz="inherit">
        {issues.map((issue) => (
          <List.Item key={`${issue.path} ${issue.type}`}>
            <Anchor
              component="button"
              type="button"
              inherit
              c="inherit"
              ta="start"
              underline="always"
              onClick={() => showSection(issue)}
            >
              {issueSummary(t, issue, kind)}
            </Anchor>
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
