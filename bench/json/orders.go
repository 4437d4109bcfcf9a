package json

type (
	//easyjson:json
	orderList []order

	order struct {
		ID       int64   `json:"id"`
		Customer string  `json:"customer"`
		Email    string  `json:"email"`
		Paid     bool    `json:"paid"`
		Total    float64 `json:"total"`
		Address  *place  `json:"address"`
		Items    []thing `json:"items"`
		Note     *string `json:"note"`
	}
	place struct {
		Street string `json:"street"`
		City   string `json:"city"`
		Zip    string `json:"zip"`
	}
	thing struct {
		SKU   string            `json:"sku"`
		Name  string            `json:"name"`
		Qty   int               `json:"qty"`
		Price float64           `json:"price"`
		Tags  []string          `json:"tags"`
		Attrs map[string]string `json:"attrs,omitempty"`
	}
)
