-- The tables of Pelican in SQLite: an empty database after all migrations of its main branch of 22 August 2026
-- (235c8fb98, after 1.0.0-beta38), which were run one after the other with illuminate/database 12.

create table `activity_log_subjects` (
  `id` integer not null,
  `activity_log_id` integer not null,
  `subject_type` varchar not null,
  `subject_id` integer not null
);

create table `activity_logs` (
  `id` integer not null,
  `event` varchar not null,
  `ip` varchar not null,
  `description` text,
  `actor_type` varchar,
  `actor_id` integer,
  `properties` text not null,
  `timestamp` datetime not null,
  `api_key_id` integer
);

create table `allocations` (
  `id` integer not null,
  `node_id` integer not null,
  `ip` varchar not null,
  `port` integer not null,
  `server_id` integer,
  `created_at` datetime,
  `updated_at` datetime,
  `ip_alias` text,
  `notes` varchar,
  `is_locked` tinyint(1) not null default '0',
  `show_port` tinyint(1) not null default '1'
);

create table `api_keys` (
  `id` integer not null,
  `token` text not null,
  `allowed_ips` text not null,
  `created_at` datetime,
  `updated_at` datetime,
  `user_id` integer,
  `memo` text,
  `identifier` varchar,
  `key_type` integer not null default '0',
  `last_used_at` datetime,
  `expires_at` datetime,
  `permissions` text
);

create table `api_logs` (
  `id` integer not null,
  `authorized` tinyint(1) not null,
  `error` text,
  `key` varchar,
  `method` varchar not null,
  `route` text not null,
  `content` text,
  `user_agent` text not null,
  `request_ip` varchar not null,
  `created_at` datetime,
  `updated_at` datetime
);

create table `backup_host_node` (
  `node_id` integer not null,
  `backup_host_id` integer not null,
  `created_at` datetime,
  `updated_at` datetime
);

create table `backup_hosts` (
  `id` integer not null,
  `name` varchar not null,
  `schema` varchar not null,
  `configuration` text,
  `created_at` datetime,
  `updated_at` datetime
);

create table `backups` (
  `id` integer not null,
  `server_id` integer not null,
  `uuid` varchar not null,
  `name` varchar not null,
  `ignored_files` text not null,
  `checksum` varchar,
  `bytes` integer not null default '0',
  `completed_at` datetime,
  `created_at` datetime,
  `updated_at` datetime,
  `is_successful` tinyint(1) not null default '0',
  `upload_id` text,
  `is_locked` integer not null default '0',
  `backup_host_id` integer not null,
  `is_scheduled` tinyint(1) not null default '0'
);

create table `database_host_node` (
  `id` integer not null,
  `node_id` integer not null,
  `database_host_id` integer not null,
  `created_at` datetime,
  `updated_at` datetime
);

create table `database_hosts` (
  `id` integer not null,
  `name` varchar not null,
  `host` varchar not null,
  `port` integer not null,
  `username` varchar not null,
  `password` text not null,
  `max_databases` integer,
  `created_at` datetime,
  `updated_at` datetime
);

create table `databases` (
  `id` integer not null,
  `server_id` integer not null,
  `database_host_id` integer not null,
  `database` varchar not null,
  `username` varchar not null,
  `remote` varchar not null default '%',
  `password` text not null,
  `created_at` datetime,
  `updated_at` datetime,
  `max_connections` integer default '0'
);

create table `egg_variables` (
  `id` integer not null,
  `egg_id` integer not null,
  `name` varchar not null,
  `description` text not null,
  `env_variable` varchar not null,
  `default_value` text not null,
  `user_viewable` integer not null,
  `user_editable` integer not null,
  `rules` text not null,
  `created_at` datetime,
  `updated_at` datetime,
  `sort` integer
);

create table `eggs` (
  `id` integer not null,
  `name` varchar not null,
  `description` text,
  `created_at` datetime,
  `updated_at` datetime,
  `config_from` integer,
  `config_stop` varchar,
  `config_logs` text,
  `config_startup` text,
  `config_files` text,
  `script_install` text,
  `script_is_privileged` tinyint(1) not null default '1',
  `script_entry` varchar not null default 'ash',
  `script_container` varchar not null default 'alpine:3.4',
  `copy_script_from` integer,
  `uuid` varchar,
  `author` varchar not null,
  `features` text,
  `docker_images` text,
  `update_url` text,
  `file_denylist` text,
  `force_outgoing_ip` tinyint(1) not null default '0',
  `tags` text,
  `startup_commands` text
);

create table `failed_jobs` (
  `id` integer not null,
  `connection` text not null,
  `queue` text not null,
  `payload` text not null,
  `failed_at` datetime not null,
  `exception` text,
  `uuid` varchar
);

create table `jobs` (
  `id` integer not null,
  `queue` varchar not null,
  `payload` text not null,
  `attempts` integer not null,
  `reserved_at` integer,
  `available_at` integer not null,
  `created_at` integer not null
);

create table `migrations` (
  `id` integer not null,
  `migration` varchar not null,
  `batch` integer not null
);

create table `model_has_permissions` (
  `permission_id` integer not null,
  `model_type` varchar not null,
  `model_id` integer not null
);

create table `model_has_roles` (
  `role_id` integer not null,
  `model_type` varchar not null,
  `model_id` integer not null
);

create table `mountables` (
  `mount_id` integer not null,
  `mountable_type` varchar not null,
  `mountable_id` integer not null
);

create table `mounts` (
  `id` integer not null,
  `uuid` varchar not null,
  `name` varchar not null,
  `description` text,
  `source` varchar not null,
  `target` varchar not null,
  `read_only` integer not null,
  `user_mountable` integer not null
);

create table `node_role` (
  `node_id` integer not null,
  `role_id` integer not null
);

create table `nodes` (
  `id` integer not null,
  `public` integer not null,
  `name` varchar not null,
  `fqdn` varchar not null,
  `scheme` varchar not null default 'https',
  `memory` integer not null,
  `memory_overallocate` integer not null default '0',
  `disk` integer not null,
  `disk_overallocate` integer not null default '0',
  `daemon_token` text not null,
  `daemon_listen` integer not null default '8080',
  `daemon_sftp` integer not null default '2022',
  `daemon_base` varchar not null,
  `created_at` datetime,
  `updated_at` datetime,
  `upload_size` integer not null default '100',
  `behind_proxy` tinyint(1) not null default '0',
  `description` text,
  `maintenance_mode` tinyint(1) not null default '0',
  `uuid` varchar,
  `daemon_token_id` varchar,
  `tags` text,
  `cpu` integer not null default '0',
  `cpu_overallocate` integer not null default '0',
  `daemon_sftp_alias` varchar,
  `daemon_connect` integer not null default '8080'
);

create table `notifications` (
  `id` varchar not null,
  `type` varchar not null,
  `notifiable_type` varchar not null,
  `notifiable_id` integer not null,
  `data` text not null,
  `read_at` datetime,
  `created_at` datetime,
  `updated_at` datetime
);

create table `passkeys` (
  `id` integer not null,
  `user_id` integer not null,
  `name` text not null,
  `credential_id` varchar not null,
  `credential` text not null,
  `last_used_at` datetime,
  `created_at` datetime,
  `updated_at` datetime
);

create table `password_resets` (
  `email` varchar not null,
  `token` varchar not null,
  `created_at` datetime not null
);

create table `permissions` (
  `id` integer not null,
  `name` varchar not null,
  `guard_name` varchar not null,
  `created_at` datetime,
  `updated_at` datetime
);

create table `role_has_permissions` (
  `permission_id` integer not null,
  `role_id` integer not null
);

create table `roles` (
  `id` integer not null,
  `name` varchar not null,
  `guard_name` varchar not null,
  `created_at` datetime,
  `updated_at` datetime
);

create table `schedules` (
  `id` integer not null,
  `server_id` integer not null,
  `name` varchar not null,
  `cron_day_of_week` varchar not null,
  `cron_day_of_month` varchar not null,
  `cron_hour` varchar not null,
  `cron_minute` varchar not null,
  `is_active` tinyint(1) not null,
  `is_processing` tinyint(1) not null,
  `last_run_at` datetime,
  `next_run_at` datetime,
  `created_at` datetime,
  `updated_at` datetime,
  `cron_month` varchar not null,
  `only_when_online` integer not null default '0'
);

create table `server_transfers` (
  `id` integer not null,
  `server_id` integer not null,
  `successful` tinyint(1),
  `old_node` integer not null,
  `new_node` integer not null,
  `old_allocation` integer,
  `new_allocation` integer,
  `old_additional_allocations` text,
  `new_additional_allocations` text,
  `created_at` datetime,
  `updated_at` datetime,
  `archived` tinyint(1) not null default '0'
);

create table `server_user_settings` (
  `id` integer not null,
  `user_id` integer not null,
  `server_id` integer not null,
  `settings` text,
  `created_at` datetime,
  `updated_at` datetime
);

create table `server_variables` (
  `id` integer not null,
  `server_id` integer not null,
  `variable_id` integer not null,
  `variable_value` text not null,
  `created_at` datetime,
  `updated_at` datetime
);

create table `servers` (
  `id` integer not null,
  `uuid` varchar not null,
  `uuid_short` varchar not null,
  `node_id` integer not null,
  `name` varchar not null,
  `owner_id` integer not null,
  `memory` integer not null,
  `swap` integer not null,
  `disk` integer not null,
  `io` integer not null,
  `cpu` integer not null,
  `egg_id` integer not null,
  `startup` text not null,
  `created_at` datetime,
  `updated_at` datetime,
  `allocation_id` integer,
  `image` varchar not null,
  `description` text,
  `skip_scripts` tinyint(1) not null default '0',
  `external_id` varchar,
  `database_limit` integer default '0',
  `allocation_limit` integer,
  `threads` varchar,
  `backup_limit` integer not null default '0',
  `status` varchar,
  `installed_at` datetime,
  `oom_killer` integer not null default '0',
  `docker_labels` text
);

create table `sessions` (
  `id` varchar not null,
  `user_id` integer,
  `ip_address` varchar,
  `user_agent` text,
  `payload` text not null,
  `last_activity` integer not null
);

create table `settings` (
  `id` integer not null,
  `key` varchar not null,
  `value` text not null
);

create table `subusers` (
  `id` integer not null,
  `user_id` integer not null,
  `server_id` integer not null,
  `created_at` datetime,
  `updated_at` datetime,
  `permissions` text
);

create table `tasks` (
  `id` integer not null,
  `schedule_id` integer not null,
  `sequence_id` integer not null,
  `action` varchar not null,
  `payload` text not null,
  `time_offset` integer not null,
  `is_queued` tinyint(1) not null,
  `created_at` datetime,
  `updated_at` datetime,
  `continue_on_failure` integer not null default '0'
);

create table `tasks_log` (
  `id` integer not null,
  `task_id` integer not null,
  `run_time` datetime not null,
  `run_status` integer not null,
  `response` text not null,
  `created_at` datetime,
  `updated_at` datetime
);

create table `user_ssh_keys` (
  `id` integer not null,
  `user_id` integer not null,
  `name` varchar not null,
  `fingerprint` varchar not null,
  `public_key` text not null,
  `created_at` datetime,
  `updated_at` datetime,
  `deleted_at` datetime
);

create table `users` (
  `id` integer not null,
  `uuid` varchar not null,
  `email` varchar not null,
  `password` text not null,
  `remember_token` varchar,
  `language` varchar not null default 'en',
  `created_at` datetime,
  `updated_at` datetime,
  `username` varchar not null,
  `external_id` varchar,
  `timezone` varchar not null default 'UTC',
  `oauth` text,
  `customization` text,
  `mfa_app_secret` text,
  `mfa_app_recovery_codes` text,
  `mfa_email_enabled` tinyint(1) not null default '0',
  `is_managed_externally` tinyint(1) not null default '0'
);

create table `webhook_configurations` (
  `id` integer not null,
  `endpoint` varchar not null,
  `name` varchar not null,
  `events` text not null,
  `created_at` datetime,
  `updated_at` datetime,
  `deleted_at` datetime,
  `type` varchar,
  `payload` text,
  `headers` text,
  `scope` varchar not null default 'global',
  `server_id` integer,
  `description` text
);

create table `webhooks` (
  `id` integer not null,
  `webhook_configuration_id` integer not null,
  `event` varchar not null,
  `endpoint` varchar not null,
  `successful_at` datetime,
  `payload` text not null,
  `created_at` datetime,
  `updated_at` datetime
);
