export const configPath = '/etc/innkeeper/config.json'

/** Shell command that writes the configuration file, readable by root only. */
export const getConfigCommand = (config: string): string =>
  `sudo install -d -m 700 /etc/innkeeper && sudo tee ${configPath} > /dev/null <<'CONFIG'\n${config}CONFIG\nsudo chmod 600 ${configPath}`
