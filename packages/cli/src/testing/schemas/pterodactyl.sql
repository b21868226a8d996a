-- The tables of Pterodactyl 1.11.8 in MariaDB: an empty database, into which its own database/schema/mysql-schema.sql
-- was loaded. That file is the result of all its migrations up to this version.

create table `activity_logs` (
  `id` bigint(20) not null,
  `batch` char(36),
  `event` varchar(191) not null,
  `ip` varchar(191) not null,
  `description` text,
  `actor_type` varchar(191),
  `actor_id` bigint(20),
  `api_key_id` int(10),
  `properties` longtext not null,
  `timestamp` timestamp not null default current_timestamp
);

create table `activity_log_subjects` (
  `id` bigint(20) not null,
  `activity_log_id` bigint(20) not null,
  `subject_type` varchar(191) not null,
  `subject_id` bigint(20) not null
);

create table `allocations` (
  `id` int(10) not null,
  `node_id` int(10) not null,
  `ip` varchar(191) not null,
  `ip_alias` text,
  `port` mediumint(8) not null,
  `server_id` int(10),
  `notes` varchar(191),
  `created_at` timestamp,
  `updated_at` timestamp
);

create table `api_keys` (
  `id` int(10) not null,
  `user_id` int(10) not null,
  `key_type` tinyint(3) not null default 0,
  `identifier` char(16),
  `token` text not null,
  `allowed_ips` text,
  `memo` text,
  `last_used_at` timestamp,
  `expires_at` timestamp,
  `created_at` timestamp,
  `updated_at` timestamp,
  `r_servers` tinyint(3) not null default 0,
  `r_nodes` tinyint(3) not null default 0,
  `r_allocations` tinyint(3) not null default 0,
  `r_users` tinyint(3) not null default 0,
  `r_locations` tinyint(3) not null default 0,
  `r_nests` tinyint(3) not null default 0,
  `r_eggs` tinyint(3) not null default 0,
  `r_database_hosts` tinyint(3) not null default 0,
  `r_server_databases` tinyint(3) not null default 0
);

create table `api_logs` (
  `id` int(10) not null,
  `authorized` tinyint(1) not null,
  `error` text,
  `key` char(16),
  `method` char(6) not null,
  `route` text not null,
  `content` text,
  `user_agent` text not null,
  `request_ip` varchar(45) not null,
  `created_at` timestamp,
  `updated_at` timestamp
);

create table `audit_logs` (
  `id` bigint(20) not null,
  `uuid` char(36) not null,
  `is_system` tinyint(1) not null default 0,
  `user_id` int(10),
  `server_id` int(10),
  `action` varchar(191) not null,
  `subaction` varchar(191),
  `device` longtext not null,
  `metadata` longtext not null,
  `created_at` timestamp not null
);

create table `backups` (
  `id` bigint(20) not null,
  `server_id` int(10) not null,
  `uuid` char(36) not null,
  `upload_id` text,
  `is_successful` tinyint(1) not null default 0,
  `is_locked` tinyint(3) not null default 0,
  `name` varchar(191) not null,
  `ignored_files` text not null,
  `disk` varchar(191) not null,
  `checksum` varchar(191),
  `bytes` bigint(20) not null default 0,
  `completed_at` timestamp,
  `created_at` timestamp,
  `updated_at` timestamp,
  `deleted_at` timestamp
);

create table `databases` (
  `id` int(10) not null,
  `server_id` int(10) not null,
  `database_host_id` int(10) not null,
  `database` varchar(191) not null,
  `username` varchar(191) not null,
  `remote` varchar(191) not null default '%',
  `password` text not null,
  `max_connections` int(11) default 0,
  `created_at` timestamp,
  `updated_at` timestamp
);

create table `database_hosts` (
  `id` int(10) not null,
  `name` varchar(191) not null,
  `host` varchar(191) not null,
  `port` int(10) not null,
  `username` varchar(191) not null,
  `password` text not null,
  `max_databases` int(10),
  `node_id` int(10),
  `created_at` timestamp,
  `updated_at` timestamp
);

create table `eggs` (
  `id` int(10) not null,
  `uuid` char(36) not null,
  `nest_id` int(10) not null,
  `author` varchar(191) not null,
  `name` varchar(191) not null,
  `description` text,
  `features` longtext,
  `docker_images` longtext,
  `file_denylist` longtext,
  `update_url` text,
  `config_files` text,
  `config_startup` text,
  `config_logs` text,
  `config_stop` varchar(191),
  `config_from` int(10),
  `startup` text,
  `script_container` varchar(191) not null default 'alpine:3.4',
  `copy_script_from` int(10),
  `script_entry` varchar(191) not null default 'ash',
  `script_is_privileged` tinyint(1) not null default 1,
  `script_install` text,
  `created_at` timestamp,
  `updated_at` timestamp,
  `force_outgoing_ip` tinyint(1) not null default 0
);

create table `egg_mount` (
  `egg_id` int(10) not null,
  `mount_id` int(10) not null
);

create table `egg_variables` (
  `id` int(10) not null,
  `egg_id` int(10) not null,
  `name` varchar(191) not null,
  `description` text not null,
  `env_variable` varchar(191) not null,
  `default_value` text not null,
  `user_viewable` tinyint(3) not null,
  `user_editable` tinyint(3) not null,
  `rules` text,
  `created_at` timestamp,
  `updated_at` timestamp
);

create table `failed_jobs` (
  `id` int(10) not null,
  `uuid` varchar(191),
  `connection` text not null,
  `queue` text not null,
  `payload` longtext not null,
  `failed_at` timestamp not null,
  `exception` text not null
);

create table `jobs` (
  `id` bigint(20) not null,
  `queue` varchar(191) not null,
  `payload` longtext not null,
  `attempts` tinyint(3) not null,
  `reserved_at` int(10),
  `available_at` int(10) not null,
  `created_at` int(10) not null
);

create table `locations` (
  `id` int(10) not null,
  `short` varchar(191) not null,
  `long` text,
  `created_at` timestamp,
  `updated_at` timestamp
);

create table `migrations` (
  `id` int(10) not null,
  `migration` varchar(191) not null,
  `batch` int(11) not null
);

create table `mounts` (
  `id` int(10) not null,
  `uuid` char(36) not null,
  `name` varchar(191) not null,
  `description` text,
  `source` varchar(191) not null,
  `target` varchar(191) not null,
  `read_only` tinyint(3) not null,
  `user_mountable` tinyint(3) not null
);

create table `mount_node` (
  `node_id` int(10) not null,
  `mount_id` int(10) not null
);

create table `mount_server` (
  `server_id` int(10) not null,
  `mount_id` int(10) not null
);

create table `nests` (
  `id` int(10) not null,
  `uuid` char(36) not null,
  `author` char(191) not null,
  `name` varchar(191) not null,
  `description` text,
  `created_at` timestamp,
  `updated_at` timestamp
);

create table `nodes` (
  `id` int(10) not null,
  `uuid` char(36) not null,
  `public` smallint(5) not null,
  `name` varchar(191) not null,
  `description` text,
  `location_id` int(10) not null,
  `fqdn` varchar(191) not null,
  `scheme` varchar(191) not null default 'https',
  `behind_proxy` tinyint(1) not null default 0,
  `maintenance_mode` tinyint(1) not null default 0,
  `memory` int(10) not null,
  `memory_overallocate` int(11) not null default 0,
  `disk` int(10) not null,
  `disk_overallocate` int(11) not null default 0,
  `upload_size` int(10) not null default 100,
  `daemon_token_id` char(16) not null,
  `daemon_token` text not null,
  `daemonListen` smallint(5) not null default 8080,
  `daemonSFTP` smallint(5) not null default 2022,
  `daemonBase` varchar(191) not null default '/home/daemon-files',
  `created_at` timestamp,
  `updated_at` timestamp
);

create table `notifications` (
  `id` varchar(191) not null,
  `type` varchar(191) not null,
  `notifiable_type` varchar(191) not null,
  `notifiable_id` bigint(20) not null,
  `data` text not null,
  `read_at` timestamp,
  `created_at` timestamp,
  `updated_at` timestamp
);

create table `password_resets` (
  `email` varchar(191) not null,
  `token` varchar(191) not null,
  `created_at` timestamp not null
);

create table `recovery_tokens` (
  `id` bigint(20) not null,
  `user_id` int(10) not null,
  `token` varchar(191) not null,
  `created_at` timestamp
);

create table `schedules` (
  `id` int(10) not null,
  `server_id` int(10) not null,
  `name` varchar(191) not null,
  `cron_day_of_week` varchar(191) not null,
  `cron_month` varchar(191) not null,
  `cron_day_of_month` varchar(191) not null,
  `cron_hour` varchar(191) not null,
  `cron_minute` varchar(191) not null,
  `is_active` tinyint(1) not null,
  `is_processing` tinyint(1) not null,
  `only_when_online` tinyint(3) not null default 0,
  `last_run_at` timestamp,
  `next_run_at` timestamp,
  `created_at` timestamp,
  `updated_at` timestamp
);

create table `servers` (
  `id` int(10) not null,
  `external_id` varchar(191),
  `uuid` char(36) not null,
  `uuidShort` char(8) not null,
  `node_id` int(10) not null,
  `name` varchar(191) not null,
  `description` text not null,
  `status` varchar(191),
  `skip_scripts` tinyint(1) not null default 0,
  `owner_id` int(10) not null,
  `memory` int(10) not null,
  `swap` int(11) not null,
  `disk` int(10) not null,
  `io` int(10) not null,
  `cpu` int(10) not null,
  `threads` varchar(191),
  `oom_disabled` tinyint(3) not null default 0,
  `allocation_id` int(10) not null,
  `nest_id` int(10) not null,
  `egg_id` int(10) not null,
  `startup` text not null,
  `image` varchar(191) not null,
  `allocation_limit` int(10),
  `database_limit` int(10) default 0,
  `backup_limit` int(10) not null default 0,
  `created_at` timestamp,
  `updated_at` timestamp,
  `installed_at` timestamp
);

create table `server_transfers` (
  `id` int(10) not null,
  `server_id` int(10) not null,
  `successful` tinyint(1),
  `old_node` int(10) not null,
  `new_node` int(10) not null,
  `old_allocation` int(10) not null,
  `new_allocation` int(10) not null,
  `old_additional_allocations` longtext,
  `new_additional_allocations` longtext,
  `archived` tinyint(1) not null default 0,
  `created_at` timestamp,
  `updated_at` timestamp
);

create table `server_variables` (
  `id` int(10) not null,
  `server_id` int(10),
  `variable_id` int(10) not null,
  `variable_value` text not null,
  `created_at` timestamp,
  `updated_at` timestamp
);

create table `sessions` (
  `id` varchar(191) not null,
  `user_id` int(11),
  `ip_address` varchar(45),
  `user_agent` text,
  `payload` text not null,
  `last_activity` int(11) not null
);

create table `settings` (
  `id` int(10) not null,
  `key` varchar(191) not null,
  `value` text not null
);

create table `subusers` (
  `id` int(10) not null,
  `user_id` int(10) not null,
  `server_id` int(10) not null,
  `permissions` longtext,
  `created_at` timestamp,
  `updated_at` timestamp
);

create table `tasks` (
  `id` int(10) not null,
  `schedule_id` int(10) not null,
  `sequence_id` int(10) not null,
  `action` varchar(191) not null,
  `payload` text not null,
  `time_offset` int(10) not null,
  `is_queued` tinyint(1) not null,
  `continue_on_failure` tinyint(3) not null default 0,
  `created_at` timestamp,
  `updated_at` timestamp
);

create table `tasks_log` (
  `id` int(10) not null,
  `task_id` int(10) not null,
  `run_time` timestamp not null,
  `run_status` int(10) not null,
  `response` text not null,
  `created_at` timestamp,
  `updated_at` timestamp
);

create table `users` (
  `id` int(10) not null,
  `external_id` varchar(191),
  `uuid` char(36) not null,
  `username` varchar(191) not null,
  `email` varchar(191) not null,
  `name_first` varchar(191),
  `name_last` varchar(191),
  `password` text not null,
  `remember_token` varchar(191),
  `language` char(5) not null default 'en',
  `root_admin` tinyint(3) not null default 0,
  `use_totp` tinyint(3) not null,
  `totp_secret` text,
  `totp_authenticated_at` timestamp,
  `gravatar` tinyint(1) not null default 1,
  `created_at` timestamp,
  `updated_at` timestamp
);

create table `user_ssh_keys` (
  `id` int(10) not null,
  `user_id` int(10) not null,
  `name` varchar(191) not null,
  `fingerprint` varchar(191) not null,
  `public_key` text not null,
  `created_at` timestamp,
  `updated_at` timestamp,
  `deleted_at` timestamp
);
