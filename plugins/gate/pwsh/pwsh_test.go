package pwsh
import "testing"
func TestX(t *testing.T){ _ = builtin }
