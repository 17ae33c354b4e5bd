package place

import (
	"slices"
	"strings"
)

// secretFolders hold credentials wherever they stand.
var secretFolders = []string{
	".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".oci", "gcloud", "keyrings", ".credentials", ".secrets",
}

// secretNames are credential files, in lower case.
var secretNames = []string{
	".netrc", "_netrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".pgpass", ".my.cnf", ".git-credentials", ".htpasswd", ".dockercfg",
	".s3cfg", ".boto", ".vault-token", ".terraformrc", "terraform.rc", ".bash_history", ".zsh_history", ".python_history", ".node_repl_history",
	"credentials", "credentials.json", "credentials.yaml", "credentials.yml", "credentials.toml", ".credentials.yaml", ".credentials.json",
	"secrets.json", "secrets.yaml", "secrets.yml", "secrets.toml", "secrets.env", "shadow", "gshadow", "master.key",
	"service-account.json", "serviceaccount.json", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519",
	".dev.vars", ".vault_pass", ".vault-pass", ".authinfo", ".mylogin.cnf", "application_default_credentials.json", "kubeconfig", "auth.json",
	".secrets.toml", ".secrets.yaml", ".secrets.yml", ".secrets.json", ".databrickscfg", "kaggle.json", "rclone.conf", "client_secret.json",
	".mysql_history", ".psql_history", ".sqlite_history", ".rediscli_history", ".sh_history", "fish_history",
	"logins.json", "key3.db", "key4.db", "cookies.sqlite", "login data",
}

// secretEndings are key and credential files by their ending.
var secretEndings = []string{
	".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".asc", ".gpg", ".p8", ".tfstate", ".tfstate.backup", ".tfvars", ".ovpn", ".keytab",
}

// secretFiles have names that say nothing; the folder they lie in does.
var secretFiles = []string{"/gh/hosts.yml", "/.m2/settings.xml", "/.m2/settings-security.xml", "/.snowsql/config", "/.huggingface/token"}

// secretPath tells whether a path (absolute, cleaned, lower case) may hold
// secrets by its names alone. The process tables do: they show environments.
func secretPath(abs string) bool {
	if abs == "/proc" || strings.HasPrefix(abs, "/proc/") {
		return true
	}
	name := abs
	for folder := range strings.SplitSeq(abs, "/") {
		if slices.Contains(secretFolders, folder) {
			return true
		}
		name = folder
	}
	return secretName(name) || slices.ContainsFunc(secretFiles, func(end string) bool { return strings.HasSuffix(abs, end) })
}

func secretName(name string) bool {
	if name == ".env" || name == ".envrc" || strings.HasPrefix(name, ".env.") || strings.HasPrefix(name, ".env-") || strings.HasPrefix(name, ".env_") || strings.HasPrefix(name, ".dev.vars.") || strings.HasSuffix(name, ".env") {
		return true
	}
	for _, n := range secretNames {
		if name == n || strings.HasPrefix(n, "id_") && strings.HasPrefix(name, n) && !strings.HasSuffix(name, ".pub") {
			return true
		}
	}
	return slices.ContainsFunc(secretEndings, func(end string) bool { return strings.HasSuffix(name, end) })
}
