-- The tables of Crafty 4.10.1 in SQLite: an empty database in which peewee created the tables of all its models
-- (app/classes/models). Defaults are in the program, not in the database.

create table `api_keys` (
  `token_id` integer not null,
  `name` varchar(255) not null,
  `created` datetime not null,
  `user_id` integer not null,
  `server_permissions` varchar(255) not null,
  `crafty_permissions` varchar(255) not null,
  `full_access` integer not null
);

create table `backups` (
  `backup_id` varchar(255) not null,
  `backup_name` varchar(255) not null,
  `backup_location` varchar(255) not null,
  `excluded_dirs` varchar(255),
  `max_backups` integer not null,
  `server_id` varchar(255) not null,
  `compress` integer not null,
  `shutdown` integer not null,
  `before` varchar(255) not null,
  `after` varchar(255) not null,
  `default` integer not null,
  `status` varchar(255) not null,
  `enabled` integer not null,
  `backup_type` varchar(255) not null
);

create table `crafty_settings` (
  `id` integer not null,
  `secret_api_key` varchar(255) not null,
  `cookie_secret` varchar(255) not null,
  `login_photo` varchar(255) not null,
  `login_opacity` integer not null,
  `master_server_dir` varchar(255) not null
);

create table `host_stats` (
  `id` integer not null,
  `time` datetime not null,
  `boot_time` varchar(255) not null,
  `cpu_usage` real not null,
  `cpu_cores` integer not null,
  `cpu_cur_freq` real not null,
  `cpu_max_freq` real not null,
  `mem_percent` real not null,
  `mem_usage` varchar(255) not null,
  `mem_total` varchar(255) not null,
  `disk_json` text not null
);

create table `passkey_challenges` (
  `id` varchar(255) not null,
  `user_id` integer,
  `challenge` blob not null,
  `challenge_type` varchar(255) not null,
  `created_at` datetime not null,
  `expires_at` datetime not null
);

create table `passkey_data` (
  `id` varchar(255) not null,
  `name` varchar(255) not null,
  `user_id` integer not null,
  `credential_id` blob not null,
  `public_key` blob not null,
  `sign_count` integer not null,
  `transports` varchar(255) not null,
  `device_type` varchar(255) not null,
  `backed_up` integer not null,
  `created_at` datetime not null,
  `last_used_at` datetime
);

create table `role_servers` (
  `role_id` integer not null,
  `server_id` varchar(255) not null,
  `permissions` varchar(255) not null
);

create table `roles` (
  `role_id` integer not null,
  `created` datetime not null,
  `last_update` datetime not null,
  `role_name` varchar(255) not null,
  `manager` integer,
  `mfa_required` integer not null
);

create table `schedules` (
  `schedule_id` integer not null,
  `server_id` varchar(255) not null,
  `enabled` integer not null,
  `action` varchar(255) not null,
  `interval` integer not null,
  `interval_type` varchar(255) not null,
  `start_time` varchar(255),
  `command` varchar(255),
  `action_id` varchar(255),
  `name` varchar(255) not null,
  `one_time` integer not null,
  `cron_string` varchar(255) not null,
  `parent` integer,
  `delay` integer not null,
  `next_run` varchar(255) not null
);

create table `servers` (
  `server_id` varchar(255) not null,
  `created` datetime not null,
  `server_name` varchar(255) not null,
  `path` varchar(255) not null,
  `executable` varchar(255) not null,
  `log_path` varchar(255) not null,
  `execution_command` varchar(255) not null,
  `auto_start` integer not null,
  `auto_start_delay` integer not null,
  `crash_detection` integer not null,
  `stop_command` varchar(255) not null,
  `executable_update_url` varchar(255) not null,
  `server_ip` varchar(255) not null,
  `server_port` integer not null,
  `logs_delete_after` integer not null,
  `type` varchar(255) not null,
  `show_status` integer not null,
  `created_by` integer not null,
  `shutdown_timeout` integer not null,
  `ignored_exits` varchar(255) not null,
  `app_id` integer,
  `count_players` integer not null,
  `update_watcher` integer not null
);

create table `totp_data` (
  `id` varchar(255) not null,
  `name` varchar(255) not null,
  `user_id` integer not null,
  `totp_secret` varchar(255) not null
);

create table `totp_recovery` (
  `id` varchar(255) not null,
  `user_id` integer not null,
  `recovery_secret` varchar(255) not null
);

create table `user_crafty` (
  `id` integer not null,
  `user_id` integer not null,
  `permissions` varchar(255) not null,
  `limit_server_creation` integer not null,
  `limit_user_creation` integer not null,
  `limit_role_creation` integer not null
);

create table `user_roles` (
  `user_id` integer not null,
  `role_id` integer not null
);

create table `users` (
  `user_id` integer not null,
  `created` datetime not null,
  `last_login` datetime not null,
  `last_update` datetime not null,
  `last_ip` varchar(255) not null,
  `username` varchar(255) not null,
  `password` varchar(255) not null,
  `email` varchar(255) not null,
  `enabled` integer not null,
  `superuser` integer not null,
  `lang` varchar(255) not null,
  `valid_tokens_from` datetime not null,
  `server_order` varchar(255) not null,
  `preparing` integer not null,
  `hints` integer not null,
  `manager` integer,
  `pfp` varchar(255) not null,
  `theme` varchar(255) not null,
  `cleared_notifs` varchar(255) not null,
  `disable_password_auth` integer not null,
  `dashboard_columns` varchar(255) not null
);

create table `webhooks` (
  `id` integer not null,
  `server_id` varchar(255),
  `name` varchar(64) not null,
  `url` varchar(255) not null,
  `webhook_type` varchar(255) not null,
  `bot_name` varchar(255) not null,
  `trigger` varchar(255) not null,
  `body` varchar(255) not null,
  `color` varchar(255) not null,
  `enabled` integer not null
);
