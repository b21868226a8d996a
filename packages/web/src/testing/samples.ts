import type { NodeChoice, NodeSummary } from '@innkeeper/contract/nodes/nodes'
import type { ListedServer } from '@innkeeper/contract/servers/servers'
import type { PanelConfig } from '@innkeeper/contract/settings/panel'

const local: NodeSummary = {
  id: 0,
  name: 'LocalNode',
  publicHost: 'panel.example.net',
  publicPort: 8080,
  sftpPort: 5657,
  isLocal: true,
}

export function aServer(id: string, name: string, more: Partial<ListedServer> = {}): ListedServer {
  return { id, name, node: local, ip: '203.0.113.14', port: 25565, type: 'generic', tags: [], ...more }
}

export function aNodeChoice(more: Partial<NodeChoice> = {}): NodeChoice {
  const features = { features: [], environments: ['standard', 'tty'], os: 'linux', arch: 'amd64', version: '0.1.0' }
  return { ...local, online: true, features, ...more }
}

export function getPage(servers: readonly ListedServer[]) {
  return { servers: [...servers], paging: { page: 1, pageSize: 100, maxSize: 100, total: servers.length } }
}

/** The public configuration of a panel; registration is off by default. */
export function aConfig(more: Partial<PanelConfig> = {}): PanelConfig {
  return {
    branding: { name: 'Innkeeper' },
    themes: { active: 'Innkeeper', available: ['Innkeeper'] },
    registrationEnabled: false,
    setupNeeded: false,
    version: '0.1.0',
    ...more,
  }
}
